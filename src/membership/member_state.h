// What a member remembers when it is started again: the highest epoch that it has promised, or seen
// in its engine, and which life it was; in a fixed list also whether that one ended with nothing
// held. One small file, which people can
// read; a new one is written, synced and renamed over it each time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "view/roll.h"

namespace hapax {

struct MemberState {
  std::string settings;  // What its group had in common: another list, or engine, is another group.
  Epoch promised{};
  Life life{};
  bool ended_free = false;  // Nobody can still believe to hold a lock of that life.
};

class StateFile {
 public:
  // Makes the folders above it, and keeps other processes out for as long as it lives. An error if
  // there is such a process, or if the file is not one of ours.
  static Result<StateFile> open(const std::filesystem::path& path);
  ~StateFile();
  StateFile(StateFile&& other) noexcept;
  StateFile& operator=(StateFile&&) = delete;

  // As it was found, or written last; nothing: there was no such file.
  const std::optional<MemberState>& state() const { return state_; }
  // When it returns without an error, that is on the disk.
  Result<void> write(const MemberState& state);
  const std::filesystem::path& path() const { return path_; }

 private:
  StateFile(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;
  int lock_;  // A descriptor, of a file beside it; -1: moved away.
  std::optional<MemberState> state_;
};

// The time of day in milliseconds. No group changes its views as often as that, so it is above all
// that one has reached; epochs go on there if nobody can be sure to remember them.
Epoch epoch_of_today();

// For that member of a group: in $XDG_STATE_HOME/hapax, or root's in /var/lib/hapax. An error if
// there is no such place.
Result<std::string> usual_state_path(const std::string& group, const std::string& address);

}  // namespace hapax
