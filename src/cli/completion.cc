#include <fmt/format.h>
#include <memory>
#include <string>

#include "cli/command.h"
#include "election/catalog.h"
#include "mutex/catalog.h"

namespace hapax::cli {
namespace {

std::string words_of(const CLI::App& command) {
  std::string names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names += fmt::format(" --{}", name);
    for (const std::string& name : option->get_snames()) names += fmt::format(" -{}", name);
  }
  for (const CLI::App* inner : command.get_subcommands({})) {
    if (inner->get_group().empty()) continue;  // Hidden.
    names += ' ' + inner->get_name() + words_of(*inner);
  }
  return names;
}

// From the command line's own description, so that it cannot fall behind. zsh reads it too.
void print_script(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_group().empty()) continue;  // Hidden.
    commands += ' ' + command->get_name();
    cases += fmt::format("    {}) words=\"{}", command->get_name(), words_of(*command));
    if (command->get_name() == "sim") {
      for_each_mutex([&]<class A>() { cases += fmt::format(" {}", A::kInfo.name); });
      for_each_shared([&]<class A>() { cases += fmt::format(" {}", A::kInfo.name); });
      for_each_election([&]<class A>() { cases += fmt::format(" {}", A::kInfo.name); });
    }
    cases += "\" ;;\n";
  }
  fmt::print(
      "# bash:  source <(hapax completion)\n"
      "# zsh:   autoload -U bashcompinit && bashcompinit && source <(hapax completion)\n"
      "_hapax() {{\n"
      "  local words=\"{} --help --version\"\n"
      "  [ \"$COMP_CWORD\" -gt 1 ] && case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n"
      "}}\n"
      "complete -o default -F _hapax hapax\n",
      commands.substr(1), cases);
}

}  // namespace

void add_completion(CLI::App& app, Outcome&) {
  CLI::App* command =
      app.add_subcommand("completion", "A script that teaches your shell the words of hapax");
  command->footer("Example:\n  source <(hapax completion)");
  command->callback([&app] { print_script(app); });
}

}  // namespace hapax::cli
