#include "lab/script_file.h"

#include <fmt/format.h>

#include "console/usage.h"
#include "lab/file.h"

namespace hapax::cli {

Script script_from(const std::string& file) {
  const Result<std::string> text = read_file(file);
  if (!text) throw UsageError{fmt::format("'{}': {}", file, text.error().message)};
  Result<Script> script = Script::parse(*text);
  if (!script) throw UsageError{fmt::format("'{}': {}", file, script.error().message)};
  if (script->blocks.empty()) {
    throw UsageError{
        fmt::format("'{}': there is no command in it; a trace begins with: "
                    "nodes ALGORITHM NAME NAME …",
                    file)};
  }
  return std::move(*script);
}

}  // namespace hapax::cli
