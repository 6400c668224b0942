// hapax file: the small files of a group.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <unistd.h>
#include <utility>

#include "cell_commands/cell_commands.h"
#include "cell_commands/file_words.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/show.h"
#include "console/signals.h"
#include "console/table.h"
#include "console/terminal.h"
#include "hapax/hapax.h"
#include "jobs/reach.h"

namespace hapax::cli {
namespace {

struct FileArguments {
  std::string path;
  std::string address;
  std::optional<std::string> version;
  std::optional<std::string> fence;
  bool fresh = false;
  bool ephemeral = false;
  bool json = false;

  Freshness freshness() const { return fresh ? Freshness::fresh : Freshness::cached; }
};

template <class Call>
auto about_file(const std::string& path, Call&& call) {
  try {
    return call();
  } catch (const std::system_error& e) {
    fail_about_file(e, path);
  }
}

std::optional<std::uint64_t> version_in(const FileArguments& a) {
  if (!a.version) return std::nullopt;
  try {
    std::size_t end = 0;
    const std::uint64_t version = std::stoull(*a.version, &end);
    if (end == a.version->size() && a.version->front() != '-') return version;
  } catch (const std::exception&) {  // Said below.
  }
  throw Failure{kBadUsage, fmt::format("--version: '{}' is no number; `hapax file get --json` and "
                                       "`hapax file ls` show it, 0 is that of no file",
                                       *a.version)};
}

std::optional<Fence> fence_in(const FileArguments& a) {
  if (!a.fence) return std::nullopt;
  const auto fence = parse_fence(*a.fence);
  if (!fence) {
    throw Failure{kBadUsage, fmt::format("--fence: '{}' is no fence; it is EPOCH.TURN, as in "
                                         "$HAPAX_FENCE",
                                         *a.fence)};
  }
  return fence;
}

void print_version(const FileArguments& a, std::uint64_t version) {
  if (a.json) {
    print_json({{"path", a.path}, {"version", version}});
  } else {
    show("{}\n", version);
  }
  std::fflush(stdout);
}

// An ephemeral file is there for as long as its client is.
int stay(Client& client, Signals& signals, const std::string& path) {
  Bell bell;
  const std::stop_token lost = client.lost();
  const std::stop_callback ring{lost, [&] { bell.ring(); }};
  while (!lost.stop_requested()) {
    if (signals.take()) return kHolds;
    wait_for(signals, &bell, -1);
  }
  throw Failure{kLost, fmt::format("{}: the daemon is gone, and the file goes with it", path)};
}

int write_file(const FileArguments& a) {
  File::Options options{version_in(a), fence_in(a), a.ephemeral};
  std::optional<Signals> signals;
  if (a.ephemeral) signals.emplace(std::initializer_list<int>{SIGINT, SIGTERM, SIGHUP});
  const std::string content = content_from_input();
  Client client = reach(a.address, Purpose::keeps_files);
  print_version(a, about_file(a.path, [&] {
                  return File{client, a.path}.write(content, options);
                }));
  return a.ephemeral ? stay(client, *signals, a.path) : kHolds;
}

[[noreturn]] void fail_as_absent(const std::string& path) {
  throw Failure{kConflict, fmt::format("there is no file {}", path)};
}

int get_file(const FileArguments& a) {
  Client client = reach(a.address, Purpose::keeps_files);
  const auto file = about_file(a.path, [&] { return File{client, a.path}.read(a.freshness()); });
  if (!file) fail_as_absent(a.path);
  if (a.json) {
    print_json(json_of(a.path, *file));
  } else {
    print_content(file->content);
  }
  return kHolds;
}

int list_files(const FileArguments& a) {
  Client client = reach(a.address, Purpose::keeps_files);
  const auto files = about_file(a.path, [&] { return File::list(client, a.path, a.freshness()); });
  if (a.json) {
    boost::json::array rows;
    for (const FileInfo& file : files) {
      rows.push_back(boost::json::object{{"path", file.path},
                                         {"version", file.version},
                                         {"bytes", file.bytes},
                                         {"ephemeral", file.ephemeral}});
    }
    print_json({{"files", std::move(rows)}});
    return kHolds;
  }
  if (files.empty()) return kHolds;
  Table table;
  table.column("path", Table::Align::left, Table::Length::long_);
  table.column("bytes");
  table.column("version");
  table.column("", Table::Align::left);
  for (const FileInfo& file : files) {
    table.row({file.path, fmt::format("{}", file.bytes), fmt::format("{}", file.version),
               file.ephemeral ? "ephemeral" : ""});
  }
  show("{}", table.text_within(page_width()));
  return kHolds;
}

int remove_file(const FileArguments& a) {
  const auto version = version_in(a);
  Client client = reach(a.address, Purpose::keeps_files);
  if (!about_file(a.path, [&] { return File{client, a.path}.remove(version); })) {
    fail_as_absent(a.path);
  }
  return kHolds;
}

// A file that is ours alone, with that content, until it is asked to go.
class Draft {
 public:
  explicit Draft(const std::string& content) {
    const char* folder = std::getenv("TMPDIR");
    name_ = std::string{folder == nullptr || *folder == '\0' ? "/tmp" : folder} + "/hapax-XXXXXX";
    const int fd = mkstemp(name_.data());
    const bool is_good = fd >= 0 && write(fd, content.data(), content.size()) ==
                                        static_cast<ssize_t>(content.size());
    if (fd >= 0) close(fd);
    if (!is_good) throw Failure{kSystem, "cannot write " + name_};
  }
  ~Draft() {
    if (!keeps_) unlink(name_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void keep() { keeps_ = true; }
  const std::string& name() const { return name_; }
  // As the editor left it.
  std::string content() const {
    std::string text;
    FILE* const file = std::fopen(name_.c_str(), "rb");
    if (file == nullptr) throw Failure{kSystem, "cannot read " + name_};
    char room[4096];
    for (std::size_t n = 0; (n = std::fread(room, 1, sizeof room, file)) > 0;) text.append(room, n);
    std::fclose(file);
    return text;
  }

 private:
  std::string name_;
  bool keeps_ = false;
};

void run_editor(const std::string& file) {
  const char* visual = std::getenv("VISUAL");
  const char* editor = visual != nullptr ? visual : std::getenv("EDITOR");
  setenv("HAPAX_EDITED", file.c_str(), 1);
  const std::string command = std::string{editor == nullptr ? "vi" : editor} + " \"$HAPAX_EDITED\"";
  // NOLINTNEXTLINE(cert-env33-c): $EDITOR may have words of its own, as in `code -w`.
  if (std::system(command.c_str()) != 0) {
    throw Failure{kSystem, fmt::format("the editor failed, and nothing was written: {}", command)};
  }
}

int edit_file(const FileArguments& a) {
  Client client = reach(a.address, Purpose::keeps_files);
  const auto before = about_file(a.path, [&] {
    return File{client, a.path}.read(Freshness::fresh);
  });
  Draft draft{before ? before->content : ""};
  run_editor(draft.name());
  const std::string after = draft.content();
  if (after == (before ? before->content : "")) {  // Nor is a file made that nobody wrote into.
    show("unchanged\n");
    return kHolds;
  }
  try {
    print_version(a, about_file(a.path, [&] {
                    return File{client, a.path}.write(
                        after, {.version = before ? before->version : 0, .fence = {}});
                  }));
  } catch (const Failure& e) {
    draft.keep();
    throw Failure{e.status, fmt::format("{}; your text is in {}", e.what(), draft.name())};
  }
  return kHolds;
}

void add_path(Command& command, FileArguments& a, const char* meaning) {
  command.add("PATH", &a.path, meaning, {.required = true});
  add_address(command, &a.address, Purpose::keeps_files);
}
constexpr const char* kPathMeaning = "As config/db: UTF-8, 512 bytes at most";

Command describe_put(FileArguments& a) {
  Command command{"put", "Write a file: what standard input has, 256 KiB at most", kLockGroup};
  add_path(command, a, kPathMeaning);
  command.add("--fence", &a.fence,
              "Only if this is the fence of who holds the lock of that name: $HAPAX_FENCE");
  command.add("--ephemeral", &a.ephemeral,
              "It goes with this command, which stays until ^C, or with its daemon");
  command.add("--json", &a.json, "One JSON object instead of the new version");
  command.footer =
      std::string{
          "Examples:\n"
          "  echo host=db2 | hapax file put config/db\n"
          "  hapax run orders -- sh -c 'hapax file put orders --fence $HAPAX_FENCE < new'\n"
          "  hostname | hapax file put workers/$$ --ephemeral &\n"
          "Prints the new version. Others may read what was there before for a moment: "
          "docs/cell.md.\n"} +
      kFileStatuses;
  return command;
}

Command describe_cas(FileArguments& a) {
  Command command{"cas", "Write a file only if it has that version (compare and swap)", kLockGroup};
  add_path(command, a, kPathMeaning);
  command.add("--version", &a.version, "That it must have; 0: there must be none",
              {.required = true});
  command.add("--json", &a.json, "One JSON object instead of the new version");
  command.footer =
      std::string{
          "Examples:\n"
          "  echo 1 | hapax file cas counter --version 0       creates it\n"
          "  v=$(hapax file get counter --json | jq .version)\n"
          "  echo 2 | hapax file cas counter --version $v\n"} +
      kFileStatuses;
  return command;
}

Command describe_get(FileArguments& a) {
  Command command{"get", "Print a file", kLockGroup};
  add_path(command, a, kPathMeaning);
  command.add("--fresh", &a.fresh, "Ask the engine rather than the daemon's cache");
  command.add("--json", &a.json,
              "One JSON object with its version: \"content\", or \"base64\" if it is no text");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax file get config/db\n"
          "  hapax file get config/db --json | jq .version\n"} +
      kFileStatuses;
  return command;
}

Command describe_ls(FileArguments& a) {
  Command command{"ls", "List the files in a folder, at any depth", kLockGroup};
  command.add("PATH", &a.path, "The folder; all files if not said");
  add_address(command, &a.address, Purpose::keeps_files);
  command.add("--fresh", &a.fresh, "Ask the engine rather than the daemon's cache");
  command.add("--json", &a.json, "One JSON object instead of a table");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax file ls\n"
          "  hapax file ls workers --json | jq -r '.files[].path'\n"} +
      kFileStatuses;
  return command;
}

Command describe_rm(FileArguments& a) {
  Command command{"rm", "Remove a file", kLockGroup};
  add_path(command, a, kPathMeaning);
  command.add("--version", &a.version, "Only if it has this one");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax file rm config/db\n"} +
      kFileStatuses;
  return command;
}

Command describe_edit(FileArguments& a) {
  Command command{"edit", "Edit a file with $VISUAL or $EDITOR", kLockGroup};
  add_path(command, a, kPathMeaning);
  command.add("--json", &a.json, "One JSON object instead of the new version");
  command.footer =
      std::string{
          "Examples:\n"
          "  hapax file edit config/db\n"
          "It is written only if nobody has changed it meanwhile; else your text is kept, and you "
          "are told\nwhere. An empty text makes no new file.\n"} +
      kEditStatuses;
  return command;
}

}  // namespace

Command file_command() {
  Command command{"file", "Small files of the group: configuration, who is master", kLockGroup};
  command.subcommands = {make_command(describe_put, write_file),
                         make_command(describe_get, get_file),
                         make_command(describe_cas, write_file),
                         make_command(describe_ls, list_files),
                         make_command(describe_rm, remove_file),
                         make_command(describe_edit, edit_file),
                         file_watch_command()};
  command.footer =
      std::string{
          "Examples:\n"
          "  echo host=db2 | hapax file put config/db\n"
          "  hapax file get config/db\n"
          "  hapax file ls config\n"
          "A group on an engine has files, up to 256 KiB each; a fixed list has none. "
          "docs/cell.md says\nwhat is promised.\n"} +
      kFileStatuses;
  return command;
}

}  // namespace hapax::cli
