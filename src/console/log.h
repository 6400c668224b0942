// A daemon's log: one line each on standard error. Any thread may write.
#pragma once

#include <string>
#include <string_view>

#include "base/log.h"
#include "base/result.h"

namespace hapax::cli {

enum class LogFormat {
  text,  // 2026-11-15T07:41:27.123Z warning: …; for journald <4>…, which knows the time itself.
  json,  // {"time":"2026-11-15T07:41:27.123Z","level":"warning","message":"…"}
};

struct LogOptions {
  LogLevel level = LogLevel::info;  // And what is worse.
  LogFormat format = LogFormat::text;
};
std::string_view name_of(LogLevel level);
std::string_view name_of(LogFormat format);
// By their names; an error that lists them.
Result<LogLevel> log_level_from(const std::string& name);
Result<LogFormat> log_format_from(const std::string& name);

// From now on.
void set_log(const LogOptions& options);
void log_line(std::string_view text, LogLevel level = LogLevel::info);

// 2026-11-15T07:41:27.123Z
std::string timestamp();

}  // namespace hapax::cli
