// The one file that knows CLI11: it is seconds to compile.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <sstream>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/nearest.h"
#include "base/printable.h"
#include "console/command.h"
#include "console/exit_status.h"

namespace hapax::cli {

const char* const kVersion = HAPAX_VERSION;

namespace {

// Usage as the command says it: CLI11 does not know of what follows `--`.
class SaidUsage : public CLI::Formatter {
 public:
  explicit SaidUsage(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return usage_; }

 private:
  std::string usage_;
};

CLI::Option* declare(CLI::App& app, const Option& option) {
  const auto by_type = [&](const auto& target) {
    using Target = std::decay_t<decltype(target)>;
    if constexpr (std::is_same_v<Target, Option::Function>) {
      return app.add_option_function<std::string>(option.names, target, option.meaning);
    } else if constexpr (std::is_same_v<Target, bool*>) {
      return app.add_flag(option.names, *target, option.meaning);
    } else {
      return app.add_option(option.names, *target, option.meaning);
    }
  };
  return std::visit(by_type, option.target);
}

void add_option(CLI::App& app, const Option& option) {
  const OptionDetails& details = option.details;
  CLI::Option* added = declare(app, option);
  added->group(details.group)->required(details.required);
  if (details.check) added->transform(CLI::Validator{details.check, ""});
  if (details.shows_default) added->capture_default_str();
  if (details.takes_one_each) added->allow_extra_args(false);
  if (details.is_comma_list) added->delimiter(',');
  if (details.without_value) added->expected(0, 1)->default_str(*details.without_value);
  if (!details.value.empty()) added->option_text(details.value);
  for (const std::string& other : details.excludes) added->excludes(app.get_option(other));
  for (const std::string& other : details.needs) added->needs(app.get_option(other));
}

void add_command(CLI::App& app, const Command& command) {
  CLI::App* added = app.add_subcommand(command.name, command.summary);
  added->group(command.group)->footer(command.footer);
  if (!command.usage.empty()) added->formatter(std::make_shared<SaidUsage>(command.usage));
  for (const Option& option : command.options) add_option(*added, option);
  for (const Command& inner : command.subcommands) add_command(*added, inner);
  added->prefix_command(command.is_prefix);
  // For us to judge; after those who would inherit it.
  if (!command.subcommands.empty()) added->allow_extras();
}

const Command* find(const std::vector<Command>& commands, std::string_view name) {
  for (const Command& command : commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

// The command whose name is the first word, if there is one.
const Command* first_command(const Program& program, int argc, char** argv) {
  return argc < 2 ? nullptr : find(program.commands, argv[1]);
}

void add_long_names(const Command& command, std::vector<std::string>& names) {
  for (const Option& option : command.options) {
    for (const std::string& name : option.spellings()) {
      if (name.starts_with("--")) names.push_back(name);
    }
  }
  for (const Command& inner : command.subcommands) add_long_names(inner, names);
}

// The first option on the command line that the command does not have, and the one that is like it;
// both may be empty.
struct Stranger {
  std::string name, meant;
};
Stranger stranger_in(const Command& command, int argc, char** argv) {
  std::vector<std::string> names{"--help"};
  add_long_names(command, names);
  for (int i = 2; i < argc && std::string_view{argv[i]} != "--"; ++i) {
    const std::string_view word = argv[i];
    const std::string name{word.substr(0, word.find('='))};
    if (!name.starts_with("--")) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return {name, nearest(name, names)};
    }
  }
  return {};
}

// What CLI11 says about a command line, put so that one knows what to do.
std::string advice(const Program& program, const CLI::ParseError& e, int argc, char** argv) {
  if (argc < 2) return "there is no command; `hapax --help` lists them";
  if (const Command* command = first_command(program, argc, argv)) {
    const auto [name, meant] = stranger_in(*command, argc, argv);
    if (!meant.empty()) return fmt::format("there is no {}; did you mean {}?", name, meant);
    // CLI11 would tell all that follows as well, last things first.
    if (!name.empty()) return fmt::format("there is no {} (--help shows what there is)", name);
    return fmt::format("{} (--help shows how)", e.what());
  }
  const std::string_view first = argv[1];
  if (first.starts_with('-')) return fmt::format("unknown option {} (--help shows how)", first);
  std::vector<std::string> commands;
  for (const Command& command : program.commands) {
    if (!command.is_hidden()) commands.push_back(command.name);
  }
  const std::string meant = nearest(first, commands);
  if (!meant.empty())
    return fmt::format("there is no command '{}'; did you mean {}?", first, meant);
  return fmt::format("there is no command '{}'; use one of {}", first, fmt::join(commands, ", "));
}

// One line; must not fail, even if nobody listens.
int complain(std::string_view what, int status) {
  std::fputs(fmt::format("hapax: {}\n", printable_lines(what)).c_str(), stderr);
  return status;
}

int cannot_write(int error, int status) {
  if (error == EPIPE) return status;  // The reader has seen enough.
  return complain(fmt::format("cannot write the output: {}", std::strerror(error)), kUsage);
}

// Printed is not yet written.
int flush(int status) {
  errno = 0;
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  return failed ? cannot_write(errno != 0 ? errno : EIO, status) : status;
}

// How many arguments are ours: what follows the first `--` of a command that takes one is not.
int split_off_command(const Command* first, int argc, char** argv, Given& given) {
  if (first == nullptr || !first->takes_command) return argc;
  int ours = 2;
  while (ours < argc && std::string_view{argv[ours]} != "--") ++ours;
  given.behind.assign(argv + ours, argv + argc);
  return ours;
}

// Of a word that should have been one of its subcommands; empty: there is none.
Failure no_such(const Command& command, const std::string& word) {
  std::vector<std::string> names;
  for (const Command& inner : command.subcommands) {
    if (!inner.is_hidden()) names.push_back(inner.name);
  }
  const int status = command.group == kLockGroup ? kBadUsage : kUsage;
  if (word.empty()) {
    return {status, fmt::format("behind `hapax {}` goes {}", command.name, fmt::join(names, ", "))};
  }
  const std::string meant = nearest(word, names);
  return {status,
          fmt::format("there is no `hapax {} {}`; {}", command.name, word,
                      meant.empty() ? fmt::format("behind it goes {}", fmt::join(names, ", "))
                                    : fmt::format("did you mean {}?", meant))};
}

// Runs what was chosen, `app` being its parent.
int run_chosen(const CLI::App& parent, const std::vector<Command>& commands, Given& given) {
  const CLI::App& app = *parent.get_subcommands().front();
  const Command& command = *find(commands, app.get_name());
  if (!app.get_subcommands().empty()) return run_chosen(app, command.subcommands, given);
  for (const Option& option : command.options) {
    const std::string name = option.spellings().front();
    if (app.count(name) > 0) given.options.push_back(name);
  }
  given.rest = app.remaining();
  if (!command.subcommands.empty() && !given.rest.empty()) {
    throw no_such(command, given.rest.front());
  }
  if (!command.run) throw no_such(command, "");
  return command.run(given);
}

// `help`, `help COMMAND` and `version` as the options that others know.
std::vector<char*> as_options(const Program& program, int argc, char** argv) {
  static char help[] = "--help", version[] = "--version";
  std::vector<char*> words{argv, argv + argc};
  if (argc > 1 && std::string_view{argv[1]} == "help") {
    words.erase(words.begin() + 1);
    const bool is_known = argc == 2 || find(program.commands, argv[2]) != nullptr;
    if (is_known) words.push_back(help);
  } else if (argc == 2 && std::string_view{argv[1]} == "version") {
    words[1] = version;
  }
  words.push_back(nullptr);
  return words;
}

int parse_and_run(const Program& program, int argc, char** argv) {
  CLI::App app{program.summary, "hapax"};
  app.set_version_flag("-V,--version", fmt::format("hapax {}", kVersion));
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer(program.footer);
  // To set up what is not asked for takes longer than to ask a daemon for a lock.
  const Command* first = first_command(program, argc, argv);
  for (const Command& command : program.commands) {
    if (first == nullptr || &command == first) add_command(app, command);
  }
  Given given;
  try {
    app.parse(split_off_command(first, argc, argv, given), argv);
  } catch (const CLI::Success& help) {
    std::ostringstream text;  // std::cout would forget why it could not write.
    const int status = app.exit(help, text, text);
    fmt::print("{}", text.str());
    return status;
  } catch (const CLI::ParseError& e) {
    // Commands that take locks go by sysexits, those of the laboratory by grep.
    const bool is_of_locks = first != nullptr && first->group == kLockGroup;
    return complain(advice(program, e, argc, argv), is_of_locks ? kBadUsage : kUsage);
  }
  return run_chosen(app, program.commands, given);
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  try {
    std::vector<char*> words = as_options(program, argc, argv);
    return flush(parse_and_run(program, static_cast<int>(words.size()) - 1, words.data()));
  } catch (const Failure& e) {
    return complain(e.what(), e.status);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; try a smaller -n", kOutOfMemory);
  } catch (const std::system_error& e) {
    if (std::ferror(stdout) != 0) return cannot_write(e.code().value(), kHolds);
    return complain(e.what(), kOutOfMemory);
  } catch (const std::exception& e) {
    return complain(e.what(), kOutOfMemory);
  }
}

}  // namespace hapax::cli
