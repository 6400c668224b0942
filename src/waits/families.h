// Which processes go on only when another does. In `hapax run a -- hapax run b` the outer process
// holds and the inner one waits: on this machine a process waits for its descendants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hapax/client.h"

namespace hapax {

class Families {
 public:
  Families();

  // The process and, if it is of this machine, those it descends from.
  std::vector<std::uint32_t> operator()(const Person& person) const;

 private:
  std::string here_;
};

}  // namespace hapax
