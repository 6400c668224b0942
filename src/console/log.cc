// The one file that knows spdlog: it is seconds to compile.
#include "console/log.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/printable.h"

namespace hapax::cli {
namespace {

struct LevelNames {
  LogLevel level;
  std::string_view name;
  spdlog::level::level_enum theirs;
  int priority;  // As syslog and journald number them.
  std::string_view mark;
};
constexpr std::array<LevelNames, 4> kLevels{
    {{LogLevel::debug, "debug", spdlog::level::debug, 7, "debug: "},
     {LogLevel::info, "info", spdlog::level::info, 6, ""},
     {LogLevel::warning, "warning", spdlog::level::warn, 4, "warning: "},
     {LogLevel::error, "error", spdlog::level::err, 3, "error: "}}};
constexpr std::array<std::string_view, 2> kFormats{"text", "json"};

const LevelNames& names_of(LogLevel level) { return kLevels[static_cast<std::size_t>(level)]; }

// Whether journald reads what we write there: $JOURNAL_STREAM names the file, as DEVICE:INODE.
bool is_journal(int descriptor) {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat there {};
  if (stream == nullptr || fstat(descriptor, &there) != 0) return false;
  return fmt::format("{}:{}", there.st_dev, there.st_ino) == stream;
}

// What a pattern says of the level of a line.
class LevelFlag final : public spdlog::custom_flag_formatter {
 public:
  using Text = std::string (*)(const LevelNames&);
  explicit LevelFlag(Text text) : text_(text) {}
  void format(const spdlog::details::log_msg& line, const std::tm&,
              spdlog::memory_buf_t& out) override {
    for (const LevelNames& names : kLevels) {
      if (names.theirs != line.level) continue;
      const std::string text = text_(names);
      out.append(text.data(), text.data() + text.size());
    }
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<LevelFlag>(text_);
  }

 private:
  Text text_;
};

class DaemonLog {
 public:
  DaemonLog() : logger_("hapax", std::make_shared<spdlog::sinks::stderr_sink_mt>()) { set({}); }
  void set(const LogOptions& options) {
    is_json_ = options.format == LogFormat::json;
    const std::string time = "%Y-%m-%dT%H:%M:%S.%eZ";
    std::string pattern = is_journal_ ? "<%*>" : "";
    if (is_json_) {
      pattern += "{\"time\":\"" + time + "\",\"level\":\"%l\",\"message\":%v}";
    } else {
      pattern += is_journal_ ? "%v" : time + " %~%v";
    }
    auto formatter =
        std::make_unique<spdlog::pattern_formatter>("%v", spdlog::pattern_time_type::utc);
    formatter->add_flag<LevelFlag>(
        '*', [](const LevelNames& names) { return fmt::format("{}", names.priority); });
    formatter->add_flag<LevelFlag>('~',
                                   [](const LevelNames& names) { return std::string{names.mark}; });
    formatter->set_pattern(std::move(pattern));
    logger_.set_formatter(std::move(formatter));
    logger_.set_level(names_of(options.level).theirs);
  }
  void write(std::string_view text, LogLevel level) {
    const auto theirs = names_of(level).theirs;
    if (!logger_.should_log(theirs)) return;
    std::string line{text};
    std::replace(line.begin(), line.end(), '\n', ' ');
    line = is_json_ ? json_string(line) : printable(line);
    logger_.log(theirs, spdlog::string_view_t{line});
  }

 private:
  const bool is_journal_ = is_journal(STDERR_FILENO);
  bool is_json_ = false;
  spdlog::logger logger_;
};

DaemonLog& daemon_log() {
  static DaemonLog log;
  return log;
}

}  // namespace

std::string_view name_of(LogLevel level) { return names_of(level).name; }
std::string_view name_of(LogFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

Result<LogLevel> log_level_from(const std::string& name) {
  for (const LevelNames& names : kLevels) {
    if (names.name == name) return names.level;
  }
  return error("--log-level {}: use debug, info, warning or error", name);
}

Result<LogFormat> log_format_from(const std::string& name) {
  for (const LogFormat format : {LogFormat::text, LogFormat::json}) {
    if (name_of(format) == name) return format;
  }
  return error("--log-format {}: use text or json", name);
}

void set_log(const LogOptions& options) { daemon_log().set(options); }
void log_line(std::string_view text, LogLevel level) { daemon_log().write(text, level); }

std::string timestamp() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

}  // namespace hapax::cli
