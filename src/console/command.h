// A command of the command line, described once: parsing, --help, completion and manual pages all
// read this description.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace hapax::cli {

// Reads a word as it was typed: an error, or nothing. May rewrite it for who reads it next.
using Check = std::function<std::string(std::string& word)>;

struct OptionDetails {
  Check check{};
  bool required = false;
  bool shows_default = false;   // In --help.
  bool takes_one_each = false;  // Of a list: `--down 1 --down 2`, not `--down 1 2`.
  bool is_comma_list = false;   // Of a list: `--members a,b,c`.
  std::string group = "Options";
  std::string value{};                           // What --help calls it, if not by its type.
  std::optional<std::string> without_value{};    // Said without one, it has this.
  std::vector<std::string> excludes{}, needs{};  // Names of options that were added before.
};

// What --help, which every command has, says of itself.
inline constexpr const char* kHelpMeaning = "Print this help message and exit";

// A flag (of a bool), an option, or, if its name has no dash, an argument by its position.
struct Option {
  using Function = std::function<void(const std::string&)>;
  // Where its value goes.
  using Target = std::variant<bool*, int*, std::uint32_t*, std::int64_t*, std::uint64_t*, double*,
                              std::string*, std::optional<double>*, std::optional<std::string>*,
                              std::vector<std::int64_t>*, std::vector<std::string>*, Function>;

  std::string names;  // -w,--wait,--timeout
  Target target;
  std::string meaning;
  OptionDetails details;

  bool is_flag() const { return std::holds_alternative<bool*>(target); }
  bool is_positional() const { return !names.starts_with('-'); }
  // Each with its dashes: those with two first, as --help and our errors name them.
  std::vector<std::string> spellings() const;
};

// What was said, beside the values, which are where the options wanted them.
struct Given {
  std::vector<std::string> options;  // By their first spelling, in the order of the description.
  std::vector<std::string> rest;     // Of a prefix: from the first word that is none of ours.
  std::vector<std::string> behind;   // `--` and what follows, of who takes a command.

  bool has(std::string_view option) const;
};

// Groups of commands in --help. Those about locks exit by sysexits, see exit_status.h.
inline constexpr const char* kUsualGroup = "Subcommands";
inline constexpr const char* kLockGroup = "Locks across processes";
inline constexpr const char* kHidden = "";

struct Command {
  std::string name, summary;
  std::string group = kUsualGroup;
  std::string usage{};  // In place of the line that --help would begin with.
  std::vector<Option> options{};
  std::string footer{};
  std::function<int(const Given&)> run{};  // Returns the exit status.
  std::vector<Command> subcommands{};      // `run` is for when none was chosen.
  bool takes_command = false;              // Behind `--`.
  bool is_prefix = false;                  // The first word that is none of ours begins a command.
  struct Word {
    std::string text, meaning;
  };
  std::vector<Word> words{};  // That may follow it as well, for completion.

  void add(std::string names, Option::Target target, std::string meaning,
           OptionDetails details = {});
  bool is_hidden() const { return group.empty(); }
};

// A command whose arguments are a struct of their own. `describe` adds options that write into it.
template <class Arguments, class Run>
Command make_command(Command (*describe)(Arguments&), Run run) {
  auto arguments = std::make_shared<Arguments>();
  Command command = describe(*arguments);
  command.run = [arguments, run](const Given& given) {
    if constexpr (std::is_invocable_v<Run, const Arguments&, const Given&>) {
      return run(*arguments, given);
    } else {
      return run(*arguments);
    }
  };
  return command;
}

struct Program {
  std::string summary, footer;
  std::vector<Command> commands;
};

extern const char* const kVersion;  // 0.1.0

// Parses, runs what was chosen, and returns the exit status. What is wrong is one line on standard
// error.
int run_program(const Program& program, int argc, char** argv);

}  // namespace hapax::cli
