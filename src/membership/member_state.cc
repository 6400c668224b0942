#include "membership/member_state.h"

#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "base/file_text.h"
#include "core/lock_name.h"

namespace hapax {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr const char* kFormat = "hapax member 1";
constexpr std::size_t kLargestState = 64 << 10;

std::string json_of(const MemberState& state) {
  return json::serialize(json::object{{"format", kFormat},
                                      {"settings", state.settings},
                                      {"promised", number(state.promised)},
                                      {"life", number(state.life)},
                                      {"ended_free", state.ended_free}}) +
         '\n';
}

// Nothing if we would not have written it.
std::optional<MemberState> state_in(const std::string& text) {
  boost::system::error_code failed;
  const json::value value = json::parse(text, failed);
  if (failed || !value.is_object()) return std::nullopt;
  const json::object& object = value.as_object();
  const auto number_at = [&](const char* name) -> std::uint64_t {
    const json::value* field = object.if_contains(name);
    return field != nullptr && field->is_int64() && field->as_int64() > 0
               ? static_cast<std::uint64_t>(field->as_int64())
               : 0;
  };
  const json::value* settings = object.if_contains("settings");
  const json::value* ended_free = object.if_contains("ended_free");
  if (settings == nullptr || !settings->is_string() || ended_free == nullptr ||
      !ended_free->is_bool()) {
    return std::nullopt;
  }
  MemberState state{std::string{settings->as_string()}, Epoch{number_at("promised")},
                    Life{number_at("life")}, ended_free->as_bool()};
  if (json_of(state) != text) return std::nullopt;
  return state;
}

Error failure(const char* what, const fs::path& path) {
  return error("cannot {} {}: {}", what, path.string(), std::strerror(errno));
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// What a folder lists is on the disk only when the folder is.
bool sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool synced = fsync(fd) == 0 || errno == EINVAL;  // Some file systems need none.
  close(fd);
  return synced;
}

}  // namespace

Result<StateFile> StateFile::open(const fs::path& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed);
  fs::create_directories(whole.parent_path(), failed);
  const fs::path beside = whole.string() + ".lock";
  const int lock = ::open(beside.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return failure("write", beside);
  StateFile file{whole, lock};
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    return error(
        "{} belongs to a member that runs: was it started twice? If this is another one, "
        "give it a file of its own (--state)",
        whole.string());
  }
  if (!fs::exists(whole, failed) && !failed) return file;
  const auto text = text_of_file(whole);
  if (!text) return text.error();
  if (text->size() <= kLargestState) file.state_ = state_in(*text);
  if (!file.state_) {
    return error(
        "{} is not the state of a hapax member; if it was damaged, remove it: the member "
        "learns from the others what it had promised",
        whole.string());
  }
  return file;
}

StateFile::StateFile(StateFile&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      state_(std::move(other.state_)) {}

StateFile::~StateFile() {
  if (lock_ >= 0) close(lock_);
}

Result<void> StateFile::write(const MemberState& state) {
  const fs::path next = path_.string() + ".new";
  const int fd = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return failure("write", next);
  const bool written = write_all(fd, json_of(state)) && fsync(fd) == 0;
  const Error failed = failure("write", next);
  close(fd);
  if (!written) return failed;
  if (rename(next.c_str(), path_.c_str()) != 0) return failure("write", path_);
  if (!sync_folder(path_.parent_path())) return failure("sync the folder of", path_);
  state_ = state;
  return {};
}

Epoch epoch_of_today() {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return Epoch{static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(wall).count())};
}

Result<std::string> usual_state_path(const std::string& group, const std::string& address) {
  const auto folder = [](const char* variable) -> fs::path {
    const char* value = std::getenv(variable);
    return value != nullptr && *value == '/' ? value : "";
  };
  fs::path base = folder("XDG_STATE_HOME");
  if (base.empty() && geteuid() == 0) base = "/var/lib";
  if (base.empty() && !folder("HOME").empty()) base = folder("HOME") / ".local/state";
  if (base.empty()) {
    return error("no place for what this member has to remember: set --state FILE, or HOME");
  }
  std::string name = group + '@' + address;
  for (char& c : name) c = c == '/' ? '-' : c;
  constexpr std::size_t kLongestName = 150;
  if (name.size() > kLongestName) {
    name = fmt::format("{}…{:016x}", name.substr(0, kLongestName), hash_of_lock(name));
  }
  const fs::path file = base / "hapax" / (name + ".state");
  return {boost::system::in_place_value, file.string()};
}

}  // namespace hapax
