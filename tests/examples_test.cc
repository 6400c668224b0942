// The examples of the documents work: README's commands run as they stand there, every command
// anywhere has the options it is shown with, and every piece of C++ compiles.
#include <gmock/gmock.h>
#include <map>
#include <memory>
#include <regex>
#include <set>

#include "process_testing.h"

namespace hapax::testing {
namespace {

using ::testing::AnyOf;
using Lines = std::vector<std::string>;

const fs::path kRoot{HAPAX_ROOT};
#ifdef HAPAX_HAS_ETCD
constexpr bool kHasEtcd = true;
#else
constexpr bool kHasEtcd = false;
#endif

struct Block {
  std::string language;
  Lines lines;
};

// What stands between ```LANGUAGE and ```. A line that ends with a backslash goes on in the next.
std::vector<Block> blocks_of(const fs::path& page) {
  std::vector<Block> blocks;
  bool inside = false;
  bool goes_on = false;
  std::ifstream file{page};
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), {}});
    } else if (inside) {
      Lines& lines = blocks.back().lines;
      if (goes_on) {
        lines.back() += line;
      } else {
        lines.push_back(line);
      }
      goes_on = lines.back().ends_with('\\');
      if (goes_on) lines.back().pop_back();
    }
  }
  return blocks;
}

// From `hapax` on, without the comment; ./run passes its arguments on to it.
std::optional<std::string> hapax_command(const std::string& line) {
  static const std::regex command{R"(\s*(?:build/hapax|hapax|\./run) ([^#\s].*?)\s*(?:#.*)?)"};
  std::smatch match;
  if (!std::regex_match(line, match, command)) return std::nullopt;
  return "hapax " + match[1].str();
}

Lines hapax_commands(const fs::path& page) {
  Lines commands;
  for (const Block& block : blocks_of(page)) {
    if (block.language != "sh") continue;
    for (const std::string& line : block.lines) {
      if (auto command = hapax_command(line)) commands.push_back(*command);
    }
  }
  return commands;
}

// `hapax …` within a sentence; but `./run page` is the script's own.
Lines quoted_commands(const fs::path& page) {
  static const std::regex quoted{R"(`(?:\./run(?! page\b)|(?:build/)?hapax) ([^`]+)`)"};
  Lines commands;
  const std::string text = contents_of(page);
  for (std::sregex_iterator at{text.begin(), text.end(), quoted}, end; at != end; ++at) {
    commands.push_back("hapax " + (*at)[1].str());
  }
  return commands;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> pages{kRoot / "README.md", kRoot / "CONTRIBUTING.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  return pages;
}

// A folder that looks like the root of the tree to the commands of the examples.
class Examples : public ::testing::Test {
 protected:
  Examples() {
    fs::create_directory(folder_ / "build");
    fs::create_symlink(HAPAX_BINARY, folder_ / "build/hapax");
    fs::create_symlink(kRoot / "src", folder_ / "src");
    for (const char* script : {"backup.sh", "scheduler"}) {
      std::ofstream{folder_ / script} << "#!/bin/sh\nexit 0\n";
      fs::permissions(folder_ / script, fs::perms::owner_all);
    }
  }

  std::unique_ptr<Process> start(const std::string& command) const {
    return std::make_unique<Process>(
        Arguments{"sh", "-c",
                  "cd '" + folder_.path().string() + "' && exec " +
                      std::regex_replace(command, std::regex{"^hapax"}, "build/hapax")},
        Environment{{"HAPAX_ADDRESS", "unix:" + (folder_ / "usual.sock").string()},
                    {"XDG_RUNTIME_DIR", folder_.path()}},
        folder_);
  }
  int status_of(const std::string& command) const {
    const auto process = start(command);
    process->close_input();
    const int status = process->wait(120s);
    last_said_ = process->out() + process->err();
    return status;
  }

  const Folder folder_;
  mutable std::string last_said_;
};

bool is_of_the_laboratory(const std::string& command) {
  static const std::regex laboratory{"hapax (algorithms|compare|sim|check|trace|replay)\\b.*"};
  return std::regex_match(command, laboratory);
}

// 1 is a property that was violated, which is what some are there to show.
TEST_F(Examples, OfTheLaboratoryRun) {
  std::size_t ran = 0;
  for (const char* page : {"README.md", "docs/laboratory.md"}) {
    for (const std::string& command : hapax_commands(kRoot / page)) {
      const bool takes_its_time = command.find("1000000") != std::string::npos;
      if (!is_of_the_laboratory(command) || takes_its_time) continue;
      EXPECT_THAT(status_of(command), AnyOf(0, 1)) << command << '\n' << last_said_;
      ++ran;
    }
  }
  EXPECT_GE(ran, 20u);
}

// In README's order: `up` first, then what asks that group. What needs other machines is checked as
// far as it can be without them: `node` reads its certificates, which `certs` has just made.
TEST_F(Examples, OfTheReadmeRun) {
  std::unique_ptr<Process> group;
  std::size_t ran = 0;
  for (const std::string& command : hapax_commands(kRoot / "README.md")) {
    if (is_of_the_laboratory(command)) continue;
    SCOPED_TRACE(command);
    ++ran;
    if (command.starts_with("hapax up")) {
      group = start(command);
      ASSERT_TRUE(
          eventually([&] { return group->out().find("\nmember 3") != std::string::npos; }, 60s))
          << group->err();
    } else if (command.starts_with("hapax lock")) {
      const auto holder = start(command);
      ASSERT_TRUE(eventually([&] { return !holder->out().empty(); }, 30s)) << holder->err();
      holder->signal(SIGINT);
      EXPECT_EQ(holder->wait(), 0) << holder->err();
    } else {
      const bool is_elsewhere = command.starts_with("hapax node");
      if (is_elsewhere && !kHasEtcd) continue;
      EXPECT_EQ(status_of(command + (is_elsewhere ? " --check-config" : "")), 0) << last_said_;
    }
  }
  EXPECT_GE(ran, 8u);
  ASSERT_NE(group, nullptr);
  group->signal(SIGINT);
  EXPECT_EQ(group->wait(), 0) << group->err();
}

// As a shell splits it, up to what is not hapax's: a pipe, a redirection, what follows `--`.
Lines words_of(const std::string& command) {
  static const std::regex word{R"('[^']*'|"[^"]*"|[^\s'"]+)"};
  static const std::set<std::string> ends{"--", "|", "&&", ">", "<", ";", "…"};
  Lines words;
  for (std::sregex_iterator at{command.begin(), command.end(), word}, end; at != end; ++at) {
    if (ends.contains(at->str())) break;
    words.push_back(at->str());
  }
  return words;
}

// The options that a command's help lists; what its examples use does not count.
std::set<std::string> options_in(const std::string& help) {
  static const std::regex option{R"((?:^|[\s,])(--?[A-Za-z][\w-]*))"};
  const std::string list = help.substr(0, help.find("\nExamples:"));
  std::set<std::string> options;
  for (std::sregex_iterator at{list.begin(), list.end(), option}, end; at != end; ++at) {
    options.insert((*at)[1]);
  }
  return options;
}

TEST_F(Examples, HaveOnlyOptionsThatExist) {
  std::map<std::string, std::set<std::string>> known;  // By the first two words of the command.
  static const std::regex option{R"(\[?(--?[A-Za-z][\w-]*).*)"};
  static const std::regex plain{R"([\w-]+)"};
  std::size_t checked = 0;
  for (const fs::path& page : pages()) {
    Lines commands = hapax_commands(page);
    const Lines quoted = quoted_commands(page);
    commands.insert(commands.end(), quoted.begin(), quoted.end());
    for (const std::string& command : commands) {
      const Lines words = words_of(command);
      if (words.size() < 2 || !std::regex_match(words[1], plain)) continue;
      SCOPED_TRACE(page.string() + ": " + command);
      std::string key = words[1];
      if (words.size() > 2 && std::regex_match(words[2], plain) && !words[2].starts_with('-')) {
        key += " " + words[2];
      }
      if (!known.contains(key)) {
        std::string name = words[1];
        if (name.starts_with('-')) name = "";  // `hapax --version`
        ASSERT_EQ(status_of("hapax " + name + " --help"), 0) << last_said_;
        known[key] = options_in(last_said_);
        // `hapax demo bank` is a command below another; `hapax sim NAME` is not.
        if (status_of("hapax " + key + " --help") == 0) known[key].merge(options_in(last_said_));
      }
      for (const std::string& word : words) {
        std::smatch match;
        if (!std::regex_match(word, match, option)) continue;
        EXPECT_TRUE(known[key].contains(match[1])) << match[1];
        ++checked;
      }
    }
  }
  EXPECT_GE(checked, 100u);
}

// The blocks of a page are one program: each sees what those before it have declared.
std::string program_of(const std::vector<Block>& blocks) {
  std::string includes;
  std::string body;
  std::string ends;
  for (const Block& block : blocks) {
    if (block.language != "cpp") continue;
    body += "{\n";
    ends += "}\n";
    for (const std::string& line : block.lines) {
      (line.starts_with("#include") ? includes : body) += line + "\n";
    }
  }
  if (ends.empty()) return "";
  // What stands for the reader's own code.
  return includes +
         "using namespace std::chrono_literals;\n"
         "struct Anything { template <class... T> void operator()(const T&...) const {} };\n"
         "void page(hapax::Client& client, hapax::FenceGate& gate) {\n"
         "const Anything write, work, run, log;\nconst int row = 0;\n" +
         body + ends + "}\n";
}

TEST_F(Examples, InCppCompile) {
  const std::string compile = HAPAX_CXX " -std=c++20 -I '" HAPAX_ROOT "/include' ";
  std::ofstream{folder_ / "all.h"}  // Compiled once: it takes longer than all the pages.
      << "#include <chrono>\n#include <hapax/hapax.h>\n#include <mutex>\n#include <string>\n";
  ASSERT_EQ(status_of(compile + "-x c++-header all.h -o all.h.gch"), 0) << last_said_;
  std::size_t compiled = 0;
  for (const fs::path& page : pages()) {
    const std::string program = program_of(blocks_of(page));
    if (program.empty()) continue;
    std::ofstream{folder_ / "page.cc"} << program;
    EXPECT_EQ(status_of(compile + "-fsyntax-only -include all.h page.cc"), 0) << page << '\n'
                                                                              << last_said_;
    ++compiled;
  }
  EXPECT_GE(compiled, 4u);
}

}  // namespace
}  // namespace hapax::testing
