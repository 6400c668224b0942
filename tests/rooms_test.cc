// The rooms of the house, kept by reading the includes: who may see whom (docs/architecture.md),
// what an algorithm never sees, and that a file fits in a head.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

struct Source {
  std::string room;  // The first folder below src/.
  std::string path;  // Relative to src/.
  bool is_test = false;
  std::size_t lines = 0;
  std::vector<std::string> quoted;  // #include "…"
  std::vector<std::string> angled;  // #include <…>
};

bool is_for_tests(const fs::path& path) {
  const std::string name = path.stem().string();
  return name.ends_with("_test") || name.ends_with("_testing") ||
         path.parent_path().filename() == "testing";
}

Source read(const fs::path& root, const fs::path& path) {
  const fs::path relative = fs::relative(path, root);
  Source source{relative.begin()->string(), relative.string(), is_for_tests(relative), 0, {}, {}};
  static const std::regex include{R"(\s*#\s*include\s*([<"])([^>"]+)[>"].*)"};
  std::ifstream file{path};
  for (std::string line; std::getline(file, line); ++source.lines) {
    std::smatch match;
    if (!std::regex_match(line, match, include)) continue;
    (match[1] == "<" ? source.angled : source.quoted).push_back(match[2]);
  }
  return source;
}

std::vector<Source> all_sources() {
  const fs::path root = fs::path{HAPAX_ROOT} / "src";
  std::vector<Source> sources;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".h" || path.extension() == ".cc") sources.push_back(read(root, path));
  }
  return sources;
}

// Each room sees itself and these. One that is not listed is unknown to the plan.
const std::map<std::string, Names> kSees{
    {"base", {}},
    {"core", {"base"}},
    {"wire", {"base"}},
    {"engine", {"base"}},
    {"net", {"base", "core", "wire"}},
    {"session", {"base", "core", "wire"}},
    {"voting", {"base", "core"}},
    {"mutex", {"base", "core", "wire", "voting"}},
    {"election", {"base", "core"}},
    {"locks", {"base", "core", "wire", "mutex"}},
    {"view", {"base", "core"}},
    {"service", {"base", "core", "wire", "locks", "view"}},
    {"membership", {"base", "core", "engine", "net", "locks", "view", "service"}},
    {"campaigns", {"base", "core", "wire", "election", "locks", "session"}},
    {"daemon",
     {"base", "core", "wire", "engine", "net", "session", "locks", "view", "service", "membership",
      "campaigns"}},
    {"client", {"base", "core", "wire", "net", "session"}},
    {"member", {"base", "core", "client", "service", "membership", "daemon", "locks"}},
    {"gate", {"base"}},
    {"sqlite", {"base", "gate"}},
    {"local", {"base"}},
    {"bank", {"base", "core", "local"}},
    {"memory", {"base", "core"}},
    {"world", {"base", "core", "wire", "voting", "mutex", "election"}},
    {"draw", {"base", "core", "world"}},
    {"search", {"base"}},
    {"check", {"base", "core", "wire", "voting", "mutex", "election", "memory", "world", "search"}},
    {"viewcheck", {"base", "core", "wire", "mutex", "view", "search", "check"}},
    {"sim", {"base", "core", "wire", "voting", "mutex", "election", "world"}},
    {"swarm", {"base", "core", "locks", "view", "service"}},
    {"audit", {"base", "core"}},
    {"console", {"base"}},
    {"jobs", {"base", "core", "console", "client", "daemon", "locks", "net"}},
    {"serve",
     {"base", "core", "engine", "net", "locks", "membership", "campaigns", "daemon", "local",
      "bank", "console"}},
    {"lab",
     {"base", "core", "voting", "mutex", "election", "memory", "world", "draw", "search", "check",
      "viewcheck", "sim", "swarm", "audit", "console"}},
    {"cli", {"base", "core", "mutex", "election", "console", "jobs"}},
};
// What users include, include/hapax/, is everybody's.
constexpr const char* kPublic = "hapax";
// Tests may also take what they test through the codec.
const Names kTestsSeeToo{"wire"};

TEST(Rooms, AreReadAtAll) {
  const std::vector<Source> sources = all_sources();
  EXPECT_GT(sources.size(), 100u);
  Names rooms;
  std::size_t includes = 0;
  for (const Source& source : sources) {
    rooms.insert(source.room);
    includes += source.quoted.size();
  }
  for (const auto& [room, seen] : kSees) EXPECT_TRUE(rooms.contains(room)) << room;
  EXPECT_GT(includes, 300u);
}

TEST(Rooms, SeeOnlyWhatStandsAboveThem) {
  for (const Source& source : all_sources()) {
    const auto plan = kSees.find(source.room);
    ASSERT_NE(plan, kSees.end()) << "src/" << source.path << " is in a room without a plan";
    for (const std::string& include : source.quoted) {
      const std::string room = include.substr(0, include.find('/'));
      EXPECT_TRUE(room == source.room || room == kPublic || plan->second.contains(room) ||
                  (source.is_test && kTestsSeeToo.contains(room)))
          << "src/" << source.path << " includes " << include;
    }
  }
}

TEST(Rooms, IncludesNameTheirRoom) {
  const fs::path root{HAPAX_ROOT};
  for (const Source& source : all_sources()) {
    for (const std::string& include : source.quoted) {
      const fs::path folder = root / (include.starts_with("hapax/") ? "include" : "src");
      EXPECT_TRUE(fs::exists(folder / include))
          << "src/" << source.path << " includes " << include << ", not a path from src/";
    }
  }
}

TEST(Rooms, OnlyTestsIncludeWhatIsForTests) {
  for (const Source& source : all_sources()) {
    if (source.is_test) continue;
    for (const std::string& include : source.quoted) {
      EXPECT_FALSE(is_for_tests(include)) << "src/" << source.path << " includes " << include;
    }
  }
}

TEST(Rooms, AlgorithmsSeeNoClockNoThreadNoRandomnessAndNoWorldOutside) {
  const Names pure{"core", "voting", "mutex", "election", "view"};
  const Names forbidden{"chrono",   "thread", "random", "mutex",      "iostream",
                        "fstream",  "ctime",  "cstdio", "filesystem", "future",
                        "unistd.h", "time.h", "netdb.h"};
  for (const Source& source : all_sources()) {
    if (!pure.contains(source.room) || source.is_test) continue;
    for (const std::string& include : source.angled) {
      const bool of_the_system = include.starts_with("sys/") || include.starts_with("netinet/") ||
                                 include.starts_with("arpa/") || include.starts_with("boost/asio");
      EXPECT_FALSE(forbidden.contains(include) || of_the_system)
          << "src/" << source.path << " includes <" << include << ">";
    }
  }
}

TEST(Rooms, NoFileIsLongerThanSixHundredLines) {
  for (const Source& source : all_sources()) {
    EXPECT_LE(source.lines, 600u) << "src/" << source.path;
  }
}

TEST(Rooms, HeadersAreIncludedOnceAndSayWhatTheyAre) {
  const fs::path root = fs::path{HAPAX_ROOT} / "src";
  for (const Source& source : all_sources()) {
    if (!source.path.ends_with(".h")) continue;
    std::ifstream file{root / source.path};
    std::string first;
    std::getline(file, first);
    EXPECT_TRUE(first.starts_with("// ")) << "src/" << source.path << " begins without a comment";
    bool once = false;
    for (std::string line; !once && std::getline(file, line);) once = line == "#pragma once";
    EXPECT_TRUE(once) << "src/" << source.path;
  }
}

}  // namespace
