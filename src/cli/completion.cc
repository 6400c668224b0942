#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "console/command.h"
#include "election/catalog.h"
#include "mutex/catalog.h"

namespace hapax::cli {
namespace {

// A word that may stand behind a command, and what it means.
struct Word {
  std::string text;
  std::string meaning;
};

void add_words(const CLI::App& command, std::vector<Word>& words) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string meaning = option->get_description();
    for (const std::string& name : option->get_lnames()) words.push_back({"--" + name, meaning});
    for (const std::string& name : option->get_snames()) words.push_back({"-" + name, meaning});
  }
  for (const CLI::App* inner : command.get_subcommands({})) {
    if (inner->get_group().empty()) continue;  // Hidden.
    // A group of options has no name of its own.
    if (!inner->get_name().empty()) {
      words.push_back({inner->get_name(), inner->get_description()});
    }
    add_words(*inner, words);
  }
}

std::vector<Word> words_of(const CLI::App& command) {
  std::vector<Word> words;
  add_words(command, words);
  if (command.get_name() == "sim") {
    const auto add = [&]<class A>() {
      words.push_back({std::string{A::kInfo.name}, std::string{A::kInfo.summary}});
    };
    for (const Operations* algorithm : algorithms()) {
      words.push_back({std::string{algorithm->info.name}, std::string{algorithm->info.summary}});
    }
    for_each_election(add);
  }
  return words;
}

// f(command, its words) for each that people use.
template <class F>
void for_each_command(const CLI::App& app, F&& f) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) f(*command, words_of(*command));
  }
}

std::string in_a_row(const std::vector<Word>& words) {
  std::string row;
  for (const Word& word : words) row += ' ' + word.text;
  return row;
}

std::string commands_of(const CLI::App& app) {
  std::string commands;
  for_each_command(app, [&](const CLI::App& command, const auto&) {
    commands += (commands.empty() ? "" : " ") + command.get_name();
  });
  return commands;
}

std::string bash_script(const CLI::App& app) {
  std::string cases;
  for_each_command(app, [&](const CLI::App& command, const std::vector<Word>& words) {
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.get_name(), in_a_row(words));
  });
  return fmt::format(
      "# bash:  source <(hapax completion)\n"
      "_hapax() {{\n"
      "  local words=\"{} --help --version\"\n"
      "  [ \"$COMP_CWORD\" -gt 1 ] && case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n"
      "}}\n"
      "complete -o default -F _hapax hapax\n",
      commands_of(app), cases);
}

std::string zsh_script(const CLI::App& app) {
  std::string cases;
  for_each_command(app, [&](const CLI::App& command, const std::vector<Word>& words) {
    cases += fmt::format("  {}) compadd --{} ;;\n", command.get_name(), in_a_row(words));
  });
  return fmt::format(
      "#compdef hapax\n"
      "# zsh:  as _hapax in a folder of $fpath\n"
      "if (( CURRENT == 2 )); then\n"
      "  compadd -- {} --help --version\n"
      "  return\n"
      "fi\n"
      "case ${{words[2]}} in\n{}esac\n"
      "_files\n",
      commands_of(app), cases);
}

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '\'';
}

std::string fish_script(const CLI::App& app) {
  std::string text = "# fish:  hapax completion fish | source\n";
  for_each_command(app, [&](const CLI::App& command, const std::vector<Word>& words) {
    text += fmt::format("complete -c hapax -f -n __fish_use_subcommand -a {} -d {}\n",
                        command.get_name(), fish_quoted(command.get_description()));
    for (const Word& word : words) {
      const std::string what = word.text.starts_with("--")  ? "-l " + word.text.substr(2)
                               : word.text.starts_with('-') ? "-s " + word.text.substr(1)
                                                            : "-a " + word.text;
      text += fmt::format("complete -c hapax -n '__fish_seen_subcommand_from {}' {} -d {}\n",
                          command.get_name(), what, fish_quoted(word.meaning));
    }
  });
  return text;
}

// From the command line's own description, so that it cannot fall behind.
std::string script_for(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash_script(app);
  if (shell == "zsh") return zsh_script(app);
  if (shell == "fish") return fish_script(app);
  throw UsageError{
      fmt::format("there is nothing for the shell '{}'; use bash, zsh or fish", shell)};
}

}  // namespace

void add_completion(CLI::App& app, Outcome&) {
  CLI::App* command =
      app.add_subcommand("completion", "A script that teaches your shell the words of hapax");
  auto shell = std::make_shared<std::string>("bash");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->capture_default_str();
  command->footer(
      "Examples:\n"
      "  source <(hapax completion)\n"
      "  hapax completion zsh > ~/.zfunc/_hapax\n"
      "  hapax completion fish | source");
  command->callback([&app, shell] { fmt::print("{}", script_for(app, *shell)); });
}

}  // namespace hapax::cli
