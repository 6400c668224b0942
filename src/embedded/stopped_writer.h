// A process that is stopped (SIGSTOP, ^Z) in the middle of a commit would keep everybody else from
// committing, and cost all members their leases. Whoever waits for it lets it go on until it has
// given the file's lock back, which takes milliseconds, and then stops it again.
#pragma once

#include <filesystem>
#include <optional>
#include <sys/types.h>

namespace hapax::engine {

// The process that is writing to this database, as far as we can see it: not in another PID
// namespace.
std::optional<pid_t> writer_of(const std::filesystem::path& database);

// If it is stopped, and ours to signal; one in a debugger is left alone. Takes a fifth of a second
// at most. Should somebody continue it in these milliseconds, it is stopped all the same.
void help_stopped_writer(const std::filesystem::path& database);

}  // namespace hapax::engine
