// What a client knows of the files, from all that it was told: whoever it asks next tells it
// nothing older.
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>

#include "session/protocol.h"

namespace hapax::detail {

class KnownRevision {
 public:
  // Says it with a question, if that is about what may be old.
  void say_in(session::Ask& asked) const {
    std::visit(
        [this](auto& ask) {
          if constexpr (requires { ask.at_least; }) ask.at_least = known_;
        },
        asked);
  }
  void learn(const session::Answer& told) {
    std::visit(
        [this](const auto& answer) {
          if constexpr (requires { answer.revision; }) {
            known_ = std::max(known_, answer.revision);
          } else if constexpr (requires { answer.now.revision; }) {
            known_ = std::max(known_, answer.now.revision);
          }
        },
        told);
  }

 private:
  std::uint64_t known_ = 0;
};

// Whether an answer that is lost may have changed something.
inline bool is_write(const session::Ask& asked) {
  return std::holds_alternative<session::FilePut>(asked) ||
         std::holds_alternative<session::FileRemove>(asked);
}

}  // namespace hapax::detail
