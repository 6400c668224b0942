#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "console/usage.h"

namespace hapax::cli {
namespace {

using Word = Command::Word;

void add_words(const Command& command, std::vector<Word>& words) {
  for (const char* help : {"--help", "-h"}) words.push_back({help, kHelpMeaning});
  for (const Option& option : command.options) {
    if (option.is_positional()) continue;
    for (const std::string& name : option.spellings()) words.push_back({name, option.meaning});
  }
  for (const Command& inner : command.subcommands) {
    if (inner.is_hidden()) continue;
    words.push_back({inner.name, inner.summary});
    add_words(inner, words);
  }
  words.insert(words.end(), command.words.begin(), command.words.end());
}

// f(command, the words that may follow it) for each that people use.
template <class F>
void for_each_command(const Program& program, F&& f) {
  for (const Command& command : program.commands) {
    if (command.is_hidden()) continue;
    std::vector<Word> words;
    add_words(command, words);
    f(command, words);
  }
}

std::string in_a_row(const std::vector<Word>& words) {
  std::string row;
  for (const Word& word : words) row += ' ' + word.text;
  return row;
}

std::string commands_of(const Program& program) {
  std::string commands;
  for_each_command(program, [&](const Command& command, const auto&) {
    commands += (commands.empty() ? "" : " ") + command.name;
  });
  return commands;
}

std::string bash_script(const Program& program) {
  std::string cases;
  for_each_command(program, [&](const Command& command, const std::vector<Word>& words) {
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.name, in_a_row(words));
  });
  return fmt::format(
      "# bash:  source <(hapax completion)\n"
      "_hapax() {{\n"
      "  local words=\"{} help version --help --version\"\n"
      "  [ \"$COMP_CWORD\" -gt 1 ] && case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n"
      "}}\n"
      "complete -o default -F _hapax hapax\n",
      commands_of(program), cases);
}

std::string zsh_script(const Program& program) {
  std::string cases;
  for_each_command(program, [&](const Command& command, const std::vector<Word>& words) {
    cases += fmt::format("  {}) compadd --{} ;;\n", command.name, in_a_row(words));
  });
  return fmt::format(
      "#compdef hapax\n"
      "# zsh:  as _hapax in a folder of $fpath\n"
      "if (( CURRENT == 2 )); then\n"
      "  compadd -- {} help version --help --version\n"
      "  return\n"
      "fi\n"
      "case ${{words[2]}} in\n{}esac\n"
      "_files\n",
      commands_of(program), cases);
}

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '\'';
}

std::string fish_script(const Program& program) {
  std::string text = "# fish:  hapax completion fish | source\n";
  for_each_command(program, [&](const Command& command, const std::vector<Word>& words) {
    text += fmt::format("complete -c hapax -f -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        fish_quoted(command.summary));
    for (const Word& word : words) {
      const std::string what = word.text.starts_with("--")  ? "-l " + word.text.substr(2)
                               : word.text.starts_with('-') ? "-s " + word.text.substr(1)
                                                            : "-a " + word.text;
      text += fmt::format("complete -c hapax -n '__fish_seen_subcommand_from {}' {} -d {}\n",
                          command.name, what, fish_quoted(word.meaning));
    }
  });
  return text;
}

// From the command line's own description, so that it cannot fall behind.
std::string script_for(const Program& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  throw UsageError{
      fmt::format("there is nothing for the shell '{}'; use bash, zsh or fish", shell)};
}

int print_script(const Program& program, const std::string& shell) {
  fmt::print("{}", script_for(program, shell));
  return kHolds;
}

}  // namespace

Command completion_command(const Program& program) {
  auto shell = std::make_shared<std::string>("bash");
  Command command{"completion", "A script that teaches your shell the words of hapax"};
  command.add("SHELL", shell.get(), "bash, zsh or fish", {.shows_default = true});
  command.footer =
      "Examples:\n"
      "  source <(hapax completion)\n"
      "  hapax completion zsh > ~/.zfunc/_hapax\n"
      "  hapax completion fish | source";
  command.run = [&program, shell](const Given&) { return print_script(program, *shell); };
  return command;
}

}  // namespace hapax::cli
