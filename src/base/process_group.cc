#include "base/process_group.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <dirent.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <thread>

#include "base/send_signal.h"

namespace hapax {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLook{1};

struct Seen {
  char state = '?';
  pid_t group = 0;
  long threads = 0;
  std::uint64_t began = 0;

  // The first thread of a process may have ended long before the others.
  bool is_running() const { return (state != 'Z' && state != 'X') || threads > 1; }
};

std::optional<Seen> look_at(const std::string& pid) {
  std::ifstream file{"/proc/" + pid + "/stat"};
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const std::size_t behind_name = line.rfind(')');  // A name may have blanks and brackets in it.
  if (behind_name == std::string::npos) return std::nullopt;
  std::istringstream fields{line.substr(behind_name + 1)};
  Seen seen;
  pid_t parent = 0;
  std::string skipped;
  fields >> seen.state >> parent >> seen.group;
  for (int i = 0; i < 14; ++i) fields >> skipped;
  fields >> seen.threads >> skipped >> seen.began;
  return fields ? std::optional{seen} : std::nullopt;
}

}  // namespace

std::optional<ProcessGroup> ProcessGroup::led_by(pid_t leader, uid_t owner) {
  if (leader <= 1) return std::nullopt;
  const std::string pid = std::to_string(leader);
  struct stat of_whom {};
  if (stat(("/proc/" + pid).c_str(), &of_whom) != 0 || of_whom.st_uid != owner) return std::nullopt;
  const auto seen = look_at(pid);
  if (!seen || seen->group != leader) return std::nullopt;
  return ProcessGroup{leader, seen->began};
}

bool ProcessGroup::is_somebody_elses() const {
  const auto leader = look_at(std::to_string(id_));
  return leader && leader->began != leader_began_;
}

bool ProcessGroup::is_running() const {
  if (!signal_group(id_, 0) && errno == ESRCH) return false;
  if (is_somebody_elses()) return false;
  const std::unique_ptr<DIR, int (*)(DIR*)> all{opendir("/proc"), closedir};
  if (!all) return true;
  while (const dirent* entry = readdir(all.get())) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    const auto seen = look_at(entry->d_name);
    if (seen && seen->group == id_ && seen->is_running()) return true;
  }
  return false;
}

void ProcessGroup::kill() const {
  if (!is_somebody_elses()) signal_group(id_, SIGKILL);
}

bool ProcessGroup::end(milliseconds patience) const {
  // Less and less often: what has become another user's is not ours to kill, and lives as long as
  // it likes.
  constexpr milliseconds kSeldom{500};
  const auto give_up = steady_clock::now() + patience;
  for (milliseconds look = kLook; is_running(); look = std::min(2 * look, kSeldom)) {
    kill();
    const auto left = std::chrono::ceil<milliseconds>(give_up - steady_clock::now());
    if (left <= milliseconds{0}) return false;
    std::this_thread::sleep_for(std::min(look, left));
  }
  return true;
}

}  // namespace hapax
