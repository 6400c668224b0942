// What a connection is told of elections unasked: to the candidates and the observers of this
// process, by request. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "handles/candidate.h"
#include "handles/changes.h"
#include "session/protocol.h"

namespace hapax::client {

class ElectionNews {
 public:
  void add(std::uint64_t request, const std::shared_ptr<detail::Candidate>& candidate);
  void add(std::uint64_t request, const std::shared_ptr<detail::Changes>& changes);
  void drop_candidate(std::uint64_t request) noexcept;
  // False if it is gone already.
  bool drop_observation(std::uint64_t request) noexcept;
  // False if it is no such thing.
  bool tell(const session::Answer& answer);
  // There will be no more.
  void close();

 private:
  std::mutex mutex_;  // Guards what follows.
  std::map<std::uint64_t, std::shared_ptr<detail::Candidate>> candidates_;
  std::map<std::uint64_t, std::shared_ptr<detail::Changes>> observations_;
};

}  // namespace hapax::client
