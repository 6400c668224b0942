// The documents are true: tables and outputs are what the binary prints, links lead somewhere, and
// every command of the algorithm pages that is said to break something breaks it, in just that way.
#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "base/duration.h"
#include "process_testing.h"

namespace hapax {
namespace {

namespace fs = std::filesystem;
using testing::contents_of;

std::string output_of(const std::string& arguments, const char* errors = "/dev/null") {
  const std::string command = "cd " HAPAX_ROOT " && " + std::string{HAPAX_BINARY} + " " +
                              arguments + " </dev/null 2>" + errors;
  std::FILE* pipe = popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  std::string output;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
    output.append(buffer, got);
  pclose(pipe);
  return output;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t from = 0;
  for (std::size_t end; (end = text.find('\n', from)) != std::string::npos; from = end + 1) {
    lines.push_back(text.substr(from, end - from));
  }
  return lines;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> pages;
  for (const auto& entry : fs::recursive_directory_iterator(HAPAX_ROOT)) {
    const fs::path& page = entry.path();
    const bool is_built = page.string().find("/build/") != std::string::npos ||
                          page.string().find("/node_modules/") != std::string::npos;
    if (page.extension() == ".md" && !is_built) pages.push_back(page);
  }
  return pages;
}

// A block that follows <!-- output of: hapax ARGUMENTS --> is that output, one that follows
// <!-- end of: … --> is how it ends.
TEST(Documents, ShowWhatTheBinaryPrints) {
  const std::regex block{"<!-- (output|end) of: hapax (.*) -->\n```\n([^`]*)```"};
  std::size_t blocks = 0;
  for (const fs::path& page : pages()) {
    const std::string text = contents_of(page);
    for (std::sregex_iterator at{text.begin(), text.end(), block}, end; at != end; ++at, ++blocks) {
      const std::string shown = (*at)[3].str();
      const std::string output = output_of((*at)[2].str());
      const bool is_all = (*at)[1] == "output";
      EXPECT_TRUE(is_all ? output == shown : output.ends_with(shown)) << page << ":\n" << output;
    }
  }
  EXPECT_GE(blocks, 2u);
}

// Doxygen warns of every public name that nobody has documented, and of what it does not
// understand.
TEST(Documents, HaveAReferenceOfEveryPublicName) {
  const testing::Folder folder;
  const std::string command =
      "cd " HAPAX_ROOT " && { cat docs/Doxyfile; echo OUTPUT_DIRECTORY=" + folder.path().string() +
      "; } | doxygen - 2>" + (folder / "warnings").string();
  EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c): as people do it
  EXPECT_EQ(contents_of(folder / "warnings"), "");
  EXPECT_TRUE(fs::exists(folder / "html/classhapax_1_1Mutex.html"));
  EXPECT_TRUE(fs::exists(folder / "html/c_8h.html"));
}

// A row of a table "| dropped | `hapax sim NAME …` | reported |".
struct Claim {
  std::string page;
  std::string arguments;
  std::string reported;  // "No violation", or "KIND at TIME: TEXT"
};

std::vector<Claim> claims() {
  std::vector<Claim> claims;
  const std::regex head{R"(\| dropped \| `hapax sim (\S+) …` \| reported \|)"};
  const std::regex row{R"(\| .* \| `(-.*)` \| (.*) \|)"};
  for (const auto& entry : fs::directory_iterator(fs::path{HAPAX_ROOT} / "docs/algorithms")) {
    std::optional<std::string> algorithm;
    for (const std::string& line : lines_of(contents_of(entry.path()))) {
      std::smatch match;
      if (std::regex_match(line, match, head)) {
        algorithm = match[1].str();
      } else if (!line.starts_with('|')) {
        algorithm.reset();
      } else if (algorithm && std::regex_match(line, match, row)) {
        claims.push_back(
            {entry.path().stem().string(), *algorithm + " " + match[1].str(), match[2].str()});
      }
    }
  }
  std::sort(claims.begin(), claims.end(),
            [](const Claim& a, const Claim& b) { return a.arguments < b.arguments; });
  return claims;
}

TEST(AlgorithmPages, SayWhatBreaks) {
  const std::vector<Claim> all = claims();
  EXPECT_GE(all.size(), 50u);
  for (const Claim& claim : all) {
    SCOPED_TRACE(claim.page + ": hapax sim " + claim.arguments);
    const boost::json::value report =
        boost::json::parse(output_of("sim " + claim.arguments + " --json"));
    std::vector<std::string> seen;
    for (const auto& v : report.at("violation_details").as_array()) {
      seen.push_back(std::string{v.at("kind").as_string()} + " at " +
                     format_duration(v.at("at_ns").to_number<Nanos>()) + ": " +
                     std::string{v.at("text").as_string()});
    }
    if (claim.reported == "No violation") {
      EXPECT_TRUE(seen.empty()) << seen.front();
    } else {
      EXPECT_NE(std::find(seen.begin(), seen.end(), claim.reported), seen.end()) << claim.reported;
    }
  }
}

// A row of a table "| `hapax check NAME …` | states |" is a search that ends well, with that count.
TEST(AlgorithmPages, SayHowManyStatesAreSearched) {
  const std::regex head{R"(\| `hapax (check \S+) …` \| states \|)"};
  const std::regex row{R"(\| `(-.*)` \| ([0-9,]+) \|)"};
  std::size_t rows = 0;
  for (const auto& entry : fs::directory_iterator(fs::path{HAPAX_ROOT} / "docs/algorithms")) {
    std::optional<std::string> command;
    for (const std::string& line : lines_of(contents_of(entry.path()))) {
      std::smatch match;
      if (std::regex_match(line, match, head)) {
        command = match[1].str();
      } else if (!line.starts_with('|')) {
        command.reset();
      } else if (command && std::regex_match(line, match, row)) {
        ++rows;
        const std::string arguments = *command + " " + match[1].str();
        std::string states = match[2].str();
        std::erase(states, ',');
        const boost::json::value report = boost::json::parse(output_of(arguments + " --json"));
        EXPECT_EQ(report.at("verdict").as_string(), "holds") << arguments;
        EXPECT_EQ(report.at("states").to_number<std::uint64_t>(), std::stoull(states)) << arguments;
      }
    }
  }
  EXPECT_GE(rows, 20u);
}

// Words with one space between them.
std::string unspaced(const std::string& text) {
  return std::regex_replace(text, std::regex{"\\s+"}, " ");
}

// In a block of "$ hapax sim …" and "$ hapax check …" what stands under a command is in its output.
// Files of voting sets are not there.
TEST(AlgorithmPages, ShowWhatIsPrinted) {
  const std::regex command{R"(\$ hapax ((?:sim|check) .*))"};
  std::size_t commands = 0;
  for (const auto& entry : fs::directory_iterator(fs::path{HAPAX_ROOT} / "docs/algorithms")) {
    std::optional<std::string> output;
    for (const std::string& line : lines_of(contents_of(entry.path()))) {
      std::smatch match;
      if (line.starts_with("```")) {
        output.reset();
      } else if (std::regex_match(line, match, command)) {
        output.reset();
        if (line.ends_with(".txt")) continue;
        output = unspaced(output_of(match[1].str(), "&1"));
        ++commands;
      } else if (output) {
        EXPECT_NE(output->find(unspaced(line)), std::string::npos) << entry.path() << ": " << line;
      }
    }
  }
  EXPECT_GE(commands, 40u);
}

// A row "| claim | `hapax …` | `this` … |" is a command that prints this, however it is spaced.
TEST(Lectures, AreShownByTheirCommands) {
  const std::regex row{R"(\| .* \| `hapax ([^`]*)` \| `([^`]*)`.* \|)"};
  std::map<std::string, std::string> outputs;
  for (const std::string& line : lines_of(contents_of(fs::path{HAPAX_ROOT} / "docs/lectures.md"))) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    const auto [at, is_new] = outputs.try_emplace(match[1].str());
    if (is_new) at->second = unspaced(output_of(at->first, "&1"));
    EXPECT_NE(at->second.find(unspaced(match[2].str())), std::string::npos) << line;
  }
  EXPECT_GE(outputs.size(), 100u);
}

// As GitHub makes it of a heading: lower case, no punctuation, a dash for each space.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading.substr(heading.find_first_not_of("# "))) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') {
      anchor += '-';
    } else if (byte >= 0x80 || std::isalnum(byte) != 0 || c == '-' || c == '_') {
      anchor += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
    }
  }
  return anchor;
}

bool has_heading(const fs::path& page, const std::string& anchor) {
  const std::vector<std::string> lines = lines_of(contents_of(page));
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.starts_with('#') && anchor_of(line) == anchor;
  });
}

// Links between documents and to the source lead somewhere: to a file, and there to a heading.
TEST(Documents, LinkToWhatIsThere) {
  const std::regex link{R"(\]\(([^)#:]*)(?:#([^)]*))?\))"};
  std::size_t links = 0;
  for (const fs::path& page : pages()) {
    const std::string text = contents_of(page);
    for (std::sregex_iterator at{text.begin(), text.end(), link}, end; at != end; ++at, ++links) {
      const std::string file = (*at)[1].str();
      const fs::path target = file.empty() ? page : page.parent_path() / file;
      EXPECT_TRUE(fs::exists(target)) << page << ": " << (*at)[0];
      if ((*at)[2].matched) {
        EXPECT_TRUE(has_heading(target, (*at)[2])) << page << ": " << (*at)[0];
      }
    }
  }
  EXPECT_GE(links, 100u);
}

TEST(Readme, FitsOnAFewScreens) {
  EXPECT_LE(lines_of(contents_of(fs::path{HAPAX_ROOT} / "README.md")).size(), 200u);
}

}  // namespace
}  // namespace hapax
