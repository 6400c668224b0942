// The traces of the house, played: what the drawing of diagrams is tested on.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "world/play.h"

namespace hapax::testing {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

// Looked for once in a process: there is one for each test.
inline const std::vector<std::filesystem::path>& trace_files() {
  static const std::vector<std::filesystem::path> all = [] {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(HAPAX_SOURCE)) {
      if (entry.path().native().ends_with(".trace")) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
  }();
  return all;
}

inline std::vector<Chronicle> scenes_of_text(const std::string& text) {
  const Result<Script> script = Script::parse(text);
  EXPECT_TRUE(script.has_value());
  const Result<Performance> played = perform(*script);
  EXPECT_TRUE(played.has_value());
  return played->scenes;
}

inline std::vector<Chronicle> scenes_of(const std::filesystem::path& path) {
  return scenes_of_text(read_file(path));
}

// A trace as the name of a test.
inline std::string test_name(const ::testing::TestParamInfo<std::filesystem::path>& trace) {
  std::string name = trace.param.stem().string();
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

}  // namespace hapax::testing
