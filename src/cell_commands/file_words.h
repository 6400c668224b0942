// What the commands about files have in common: what goes wrong, and contents as JSON.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <system_error>

#include "hapax/file.h"

namespace hapax::cli {

inline constexpr const char* kFileStatuses =
    "Exit status: 0 fine, 1 there is no such file, or it has another version or fence than said, "
    "64 "
    "usage,\n69 no daemon answers or it refuses, 75 not known whether it was written (the engine "
    "did not\nanswer in time: read it with --fresh), 77 not allowed.";
inline constexpr const char* kEditStatuses =
    "Exit status: as of the others (`hapax file --help`), and 71 the editor failed, and nothing "
    "was "
    "written.";

// Throws Failure. What a write's fate is if nobody knows it is no failure of the write.
[[noreturn]] void fail_about_file(const std::system_error& error, const std::string& path);

// All of standard input; throws Failure if it is more than a file may have.
std::string content_from_input();
// As it is, to standard output.
void print_content(std::string_view content);

// With "content" if that is text, else with "base64".
boost::json::object json_of(const std::string& path, const FileContent& file);

}  // namespace hapax::cli
