// The rooms of the house, kept by reading the source: who may see whom, that docs/architecture.md
// shows the rooms there are, what an algorithm never sees, and that rooms, files and classes fit in
// a head.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
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
         path.parent_path().filename() == "testing" || path.parent_path().filename() == "fuzz";
}

Source read(const fs::path& root, const fs::path& path) {
  const fs::path relative = fs::relative(path, root);
  Source source{relative.begin()->string(), relative.string(), is_for_tests(relative), 0, {}, {}};
  static const std::regex include{R"(\s*#\s*include\s*([<"])([^>"]+)[>"].*)"};
  std::ifstream file{path};
  for (std::string line; std::getline(file, line); ++source.lines) {
    std::smatch match;
    if (line.find('#') == std::string::npos || !std::regex_match(line, match, include)) continue;
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
    {"loop", {"base"}},
    {"streams", {"base", "loop", "handshake"}},
    {"http", {"base"}},
    {"core", {"base"}},
    {"wire", {"base"}},
    {"engine", {"base", "loop"}},
    {"embedded", {"base", "loop", "engine"}},
    {"etcd", {"base", "loop", "engine"}},
    {"zookeeper", {"base", "loop", "engine"}},
    {"direct", {"base", "loop", "core", "engine", "files", "handles", "session"}},
    {"direct_etcd", {"base", "loop", "engine", "etcd", "handles", "direct"}},
    {"direct_zookeeper", {"base", "loop", "core", "engine", "zookeeper", "handles", "direct"}},
    {"direct_redis", {"base", "loop", "core", "engine", "handles", "direct", "redlock"}},
    {"engines",
     {"base", "loop", "engine", "embedded", "etcd", "zookeeper", "handles", "direct_etcd",
      "direct_zookeeper", "direct_redis"}},
    {"handshake", {"base"}},
    {"tls", {"base", "handshake"}},
    {"net", {"base", "loop", "streams", "core", "wire", "tls", "handshake"}},
    {"certs", {"base", "tls"}},
    {"session", {"base", "core", "wire"}},
    {"voting", {"base", "core"}},
    {"mutex", {"base", "core", "voting"}},
    {"catalog", {"base", "core", "wire", "voting", "mutex"}},
    {"election", {"base", "core", "wire"}},
    {"locks", {"base", "core", "wire", "voting", "catalog"}},
    {"waits", {"base", "catalog"}},
    {"view", {"base", "core"}},
    {"service", {"base", "core", "kept", "wire", "locks", "view"}},
    {"news", {"base", "view", "service"}},
    {"records", {"base", "core", "engine", "locks", "view", "service"}},
    {"membership",
     {"base", "loop", "core", "engine", "tls", "net", "locks", "view", "service", "news",
      "records"}},
    {"campaigns", {"base", "core", "wire", "election", "locks", "session"}},
    {"figures",
     {"base", "core", "tls", "net", "session", "locks", "service", "membership", "campaigns"}},
    {"inquiries", {"base", "core", "wire", "session", "campaigns"}},
    {"metrics", {"base", "locks", "view", "figures"}},
    {"roles", {"base", "locks", "tls"}},
    {"files", {"base", "loop", "core", "engine", "session"}},
    {"kept", {"base"}},
    {"visitors",
     {"base", "loop", "streams", "core", "kept", "wire", "tls", "net", "session", "locks",
      "service", "campaigns", "figures", "files", "roles", "handshake"}},
    {"daemon",
     {"base", "loop", "core", "files", "engine", "tls", "net", "session", "locks", "view",
      "service", "records", "membership", "campaigns", "figures", "inquiries", "roles",
      "visitors"}},
    {"handles", {"base", "core", "session"}},
    {"cells", {"base"}},
    {"client",
     {"base", "loop", "core", "kept", "wire", "tls", "net", "session", "handshake", "handles",
      "cells"}},
    {"member",
     {"base", "loop", "core", "engines", "net", "handles", "client", "service", "records",
      "membership", "daemon", "locks", "roles"}},
    {"c_interface", {"base", "client"}},
    {"gate", {"base"}},
    {"sqlite", {"base", "gate"}},
    {"local", {"base"}},
    {"bank", {"base", "core", "local"}},
    {"memory", {"base", "core"}},
    {"world", {"base", "core", "wire", "voting", "catalog", "election"}},
    {"draw", {"base", "core", "world"}},
    {"recorded", {"base", "core", "wire", "voting", "session", "catalog", "world"}},
    {"search", {"base"}},
    {"check",
     {"base", "core", "wire", "voting", "catalog", "election", "memory", "world", "search"}},
    {"listcheck",
     {"base", "core", "wire", "catalog", "locks", "view", "service", "search", "viewcheck"}},
    {"viewcheck",
     {"base", "core", "kept", "wire", "catalog", "locks", "view", "service", "search", "check"}},
    {"redlock", {"base", "search"}},
    {"sim", {"base", "core", "wire", "voting", "catalog", "election", "world"}},
    {"compare", {"base", "voting", "catalog", "sim"}},
    {"swarm",
     {"base", "core", "kept", "wire", "catalog", "net", "session", "locks", "view", "service"}},
    {"audit", {"base", "core"}},
    {"console", {"base"}},
    {"group_json", {"base"}},
    {"live",
     {"base", "loop", "streams", "core", "http", "net", "session", "client", "waits", "roles",
      "console", "group_json", "world", "draw", "recorded"}},
    {"jobs", {"base", "core", "cells", "console", "handles", "net"}},
    {"systemd", {"base", "loop"}},
    {"serve", {"base",    "loop",       "streams",   "core",    "engine", "net",    "locks",
               "records", "membership", "campaigns", "metrics", "daemon", "local",  "bank",
               "console", "certs",      "systemd",   "http",    "live",   "figures"}},
    {"lab_commands", {"base", "core", "catalog", "election", "console"}},
    {"told",
     {"base", "core", "voting", "catalog", "election", "memory", "world", "search", "check", "sim",
      "compare", "console"}},
    {"page",
     {"base", "core", "voting", "catalog", "election", "world", "draw", "search", "check", "sim",
      "compare", "console", "told"}},
    {"lab", {"base",    "core",   "voting", "catalog",   "election",     "memory",  "world",
             "draw",    "search", "check",  "viewcheck", "listcheck",    "redlock", "sim",
             "compare", "swarm",  "audit",  "console",   "lab_commands", "told"}},
    {"cell_commands", {"base", "console", "jobs"}},
    {"group_commands", {"base", "certs", "console", "jobs", "group_json"}},
    {"cli",
     {"recorded", "world", "cell_commands", "group_commands", "group_json", "waits", "base", "core",
      "certs", "console", "jobs", "serve", "lab_commands"}},
    {"programs", {"base", "embedded", "engines", "client", "console", "jobs", "cli"}},
};
// What users include, include/hapax/, is everybody's.
constexpr const char* kPublic = "hapax";
// Tests may also take what they test through the codec, and ask the catalogue for algorithms; some
// need more than what they test.
const Names kTestsSeeToo{"wire", "catalog"};
const std::map<std::string, Names> kTestsOfSee{
    {"client", {"daemon", "certs", "engine", "engines", "etcd", "files", "audit"}},
    {"files", {"audit"}},
    {"live", {"daemon", "figures", "locks"}},
    {"net", {"certs"}},
    {"recorded", {"locks"}},
    {"voting", {"mutex"}},
    {"check", {"mutex"}},
    {"sim", {"mutex"}},
    {"catalog", {"mutex"}}};

bool may_see(const Source& source, const std::string& room) {
  if (room == source.room || room == kPublic || kSees.at(source.room).contains(room)) return true;
  if (!source.is_test) return false;
  const auto more = kTestsOfSee.find(source.room);
  return kTestsSeeToo.contains(room) || (more != kTestsOfSee.end() && more->second.contains(room));
}

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
    ASSERT_TRUE(kSees.contains(source.room))
        << "src/" << source.path << " is in a room without a plan";
    for (const std::string& include : source.quoted) {
      EXPECT_TRUE(may_see(source, include.substr(0, include.find('/'))))
          << "src/" << source.path << " includes " << include;
    }
  }
}

// The section "## Rooms" of docs/architecture.md.
std::vector<std::string> lines_about_rooms() {
  std::vector<std::string> lines;
  bool inside = false;
  std::ifstream file{fs::path{HAPAX_ROOT} / "docs/architecture.md"};
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) inside = line == "## Rooms";
    if (inside) lines.push_back(line);
  }
  return lines;
}

// Each room has one row, and what lives there is said; no row is of a room that is gone.
TEST(Rooms, AreTheRowsOfTheTableInTheArchitecture) {
  static const std::regex row{R"(\| `(\w+)` \| (.*\S.*) \|)"};
  Names listed;
  for (const std::string& line : lines_about_rooms()) {
    std::smatch match;
    if (!line.starts_with("| `")) continue;
    ASSERT_TRUE(std::regex_match(line, match, row)) << line;
    EXPECT_TRUE(listed.insert(match[1]).second) << match[1] << " is listed twice";
  }
  Names folders;
  for (const auto& entry : fs::directory_iterator(fs::path{HAPAX_ROOT} / "src")) {
    if (entry.is_directory()) folders.insert(entry.path().filename());
  }
  EXPECT_EQ(listed, folders);
}

// In the picture a room stands below every room that it includes.
TEST(Rooms, StandInThePictureBelowWhatTheyInclude) {
  std::map<std::string, std::size_t> level;
  std::size_t number = 0;
  bool inside = false;
  for (const std::string& line : lines_about_rooms()) {
    if (line.starts_with("```")) inside = !inside;
    if (!inside || line.starts_with("```")) continue;
    ++number;
    static const std::regex word{R"(\w+)"};
    for (std::sregex_iterator at{line.begin(), line.end(), word}, end; at != end; ++at) {
      EXPECT_TRUE(level.emplace(at->str(), number).second) << at->str() << " stands there twice";
    }
  }
  for (const auto& [room, seen] : kSees) {
    ASSERT_TRUE(level.contains(room)) << room << " is not in the picture";
    for (const std::string& above : seen) {
      EXPECT_LT(level[above], level[room]) << room << " includes " << above;
    }
  }
  EXPECT_EQ(level.size(), kSees.size());
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
                                 include.starts_with("arpa/");
      EXPECT_FALSE(forbidden.contains(include) || of_the_system)
          << "src/" << source.path << " includes <" << include << ">";
    }
  }
}

// base/send_signal.h says why. `kill(0, …)` is meant where it stands: our own group.
TEST(Rooms, NobodyElseCallsKill) {
  static const std::regex call{R"((^|[^\w.>])kill\((?!0, )[^()]*(\([^()]*\))?[^()]*, )"};
  std::size_t files = 0;
  for (const char* folder : {"src", "tests", "bench", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path{HAPAX_ROOT} / folder)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cc") continue;
      if (path.filename() == "send_signal.h" || path.filename() == "rooms_test.cc") continue;
      ++files;
      std::ifstream file{path};
      for (std::string line; std::getline(file, line);) {
        if (line.find("kill(") == std::string::npos) continue;
        EXPECT_FALSE(std::regex_search(line, call)) << path << ": " << line;
      }
    }
  }
  EXPECT_GT(files, 500u);
}

// A room fits in a head.
// What they print, others may have had a hand in: console/show.h makes it harmless.
TEST(Rooms, CommandsAboutLocksPrintNothingAsItIs) {
  static const Names kOwnTextOnly{"cli/completion.cc", "cli/man.cc"};
  for (const Source& source : all_sources()) {
    if (source.room != "cli" || source.is_test || kOwnTextOnly.contains(source.path)) continue;
    std::ifstream file{fs::path{HAPAX_ROOT} / "src" / source.path};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    static const std::regex raw{R"(fmt::print\((?!stderr)|std::cout|\bputs\(|\bprintf\()"};
    EXPECT_FALSE(std::regex_search(text, raw)) << source.path << ": use show()";
  }
}

TEST(Rooms, HaveNoMoreThanThreeThousandLinesOfTheProduct) {
  std::map<std::string, std::size_t> lines;
  for (const Source& source : all_sources()) {
    if (!source.is_test) lines[source.room] += source.lines;
  }
  for (const auto& [room, count] : lines) {
    EXPECT_LE(count, 3'000u) << room;
  }
}

// A class is taken in at a glance: its body in a header is a page. These are not yet: one that is
// mended leaves the list.
const Names kTooLongClasses{"Effects", "Keeper", "OperationsOf"};

// The lines between the braces of each class that a file defines, by its name.
std::map<std::string, std::size_t> class_bodies(const fs::path& path) {
  static const std::regex head{R"((\s*)(?:template.*>\s*)?(?:class|struct)\s+([\w:]+)[^;]*\{\s*)"};
  struct Open {
    std::string end, name;
    std::size_t from;
  };
  std::map<std::string, std::size_t> bodies;
  std::vector<Open> open;
  std::ifstream file{path};
  std::size_t number = 0;
  for (std::string line; std::getline(file, line); ++number) {
    std::smatch match;
    if (line.ends_with('{') && std::regex_match(line, match, head)) {
      open.push_back({match[1].str() + "};", match[2], number});
    } else if (!open.empty() && line.starts_with(open.back().end)) {
      bodies[open.back().name] = number - open.back().from - 1;
      open.pop_back();
    }
  }
  return bodies;
}

TEST(Rooms, HaveNoClassOfMoreThanAPageInAHeader) {
  Names mended = kTooLongClasses;
  std::size_t classes = 0;
  for (const char* folder : {"src", "include"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path{HAPAX_ROOT} / folder)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".h" || is_for_tests(path)) continue;
      for (const auto& [name, lines] : class_bodies(path)) {
        ++classes;
        if (lines <= 100) continue;
        mended.erase(name);
        EXPECT_TRUE(kTooLongClasses.contains(name)) << path << ": " << name << " has " << lines;
      }
    }
  }
  EXPECT_GT(classes, 300u);
  for (const std::string& name : mended) ADD_FAILURE() << name << " may leave the list";
}

TEST(Rooms, NoFileIsLongerThanSixHundredLines) {
  for (const Source& source : all_sources()) {
    EXPECT_LE(source.lines, 600u) << "src/" << source.path;
  }
}

// --- names ---

// The text without comments, literals and directives.
std::string bare(const std::string& text) {
  static const std::regex noise{
      R"(//[^\n]*|/\*[^]*?\*/|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])'|#[^\n]*(\\\n[^\n]*)*)"};
  return std::regex_replace(text, noise, " ");
}

// A head, what stands before a brace, without its template parameters.
std::string without_parameters(std::string head) {
  for (std::size_t at = head.find("template"); at != std::string::npos;
       at = head.find("template")) {
    std::size_t end = head.find('<', at);
    if (end == std::string::npos) break;
    int depth = 0;
    do {
      if (head[end] == '<') ++depth;
      if (head[end] == '>') --depth;
      ++end;
    } while (end < head.size() && depth > 0);
    head.erase(at, end - at);
  }
  return head;
}

// The classes and enumerations that a file defines in named namespaces, with those.
std::vector<std::string> names_defined_in(const fs::path& path) {
  static const std::regex space{R"(\s*(?:inline\s+)?namespace\b\s*([\w:]*)\s*)"};
  static const std::regex type{
      R"(\s*(?:requires[^]*\s)?(?:enum\s+class|enum|struct|class|union)\s+(?:\[\[\w+\]\]\s*)?(\w+)\s*(?:final\s*)?(?::[^:][^]*)?)"};
  std::ifstream file{path};
  const std::string text = bare({std::istreambuf_iterator<char>{file}, {}});
  std::vector<std::string> names;
  // Of each brace that is open: the namespace, or "" for a namespace without a name and all else.
  std::vector<std::string> scopes;
  std::string head;
  for (const char c : text) {
    if (c != '{' && c != '}' && c != ';') {
      head += c;
      continue;
    }
    std::smatch match;
    head = without_parameters(head);
    const bool opens_space = c == '{' && std::regex_match(head, match, space);
    if (c == '{' && !opens_space && std::regex_match(head, match, type) &&
        std::find(scopes.begin(), scopes.end(), "") == scopes.end()) {
      std::string name;
      for (const std::string& scope : scopes) name += scope + "::";
      names.push_back(name + match[1].str());
    }
    if (c == '{') scopes.push_back(opens_space ? match[1].str() : "");
    if (c == '}' && !scopes.empty()) scopes.pop_back();
    head.clear();
  }
  return names;
}

// Two classes of one name in one namespace are one class to the linker, and nobody says so.
TEST(Rooms, NoNameIsGivenTwice) {
  std::map<std::string, fs::path> definitions;
  for (const char* folder : {"src", "include"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path{HAPAX_ROOT} / folder)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cc") continue;
      for (const std::string& name : names_defined_in(path)) {
        const auto [first, is_new] = definitions.emplace(name, path);
        EXPECT_TRUE(is_new || first->second == path)
            << name << " is in " << first->second << " and in " << path;
      }
    }
  }
  EXPECT_GT(definitions.size(), 400u);
  EXPECT_TRUE(definitions.contains("hapax::Search"));
  EXPECT_TRUE(definitions.contains("hapax::testing::Mutant"));
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
