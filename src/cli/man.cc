#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "console/command.h"
#include "console/exit_status.h"

namespace hapax::cli {
namespace {

// Text as roff reads it: no line is taken for a request, no dash for a hyphen.
std::string escaped(const std::string& text) {
  std::string out;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_starts = c == '\n';
  }
  return out;
}

std::string flags_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) {
    names += (names.empty() ? "-" : ", -") + name;
  }
  for (const std::string& name : option.get_lnames()) {
    names += (names.empty() ? "--" : ", --") + name;
  }
  if (names.empty()) return option.get_name(true);
  return option.get_items_expected_max() > 0 ? names + " VALUE" : names;
}

std::string synopsis_of(const CLI::App& command) {
  std::string text = fmt::format(".B hapax {}\n[OPTIONS]", escaped(command.get_name()));
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = option->get_name(true);
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  if (command.get_prefix_command()) text += escaped(" -- CMD [ARGUMENT ...]");
  return text + '\n';
}

std::string head_of(const std::string& title, const std::string& name, const std::string& what) {
  return fmt::format(".TH \"{}\" 1 \"\" \"hapax {}\"\n.SH NAME\n{} \\- {}\n", title, HAPAX_VERSION,
                     escaped(name), escaped(what));
}

// The same words as --help, which is where they come from.
std::string page_of(const CLI::App& command) {
  const std::string name = "hapax-" + command.get_name();
  std::string text = head_of(name, name, command.get_description());
  text += ".SH SYNOPSIS\n" + synopsis_of(command) + ".SH OPTIONS\n";
  for (const CLI::Option* option : command.get_options()) {
    text += fmt::format(".TP\n.B {}\n{}\n", escaped(flags_of(*option)),
                        escaped(option->get_description()));
  }
  if (!command.get_footer().empty()) {
    text += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", escaped(command.get_footer()));
  }
  return text + ".SH SEE ALSO\n.BR hapax (1), flock (1)\n";
}

std::string front_page(const CLI::App& app) {
  std::string text = head_of("hapax", "hapax", "at most one, across machines");
  text += ".SH SYNOPSIS\n.B hapax\nCOMMAND [OPTIONS]\n.SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_group().empty()) continue;
    text += fmt::format(".TP\n.BR hapax\\-{} (1)\n{}\n", escaped(command->get_name()),
                        escaped(command->get_description()));
  }
  return text + fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", escaped(app.get_footer()));
}

void write_page(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file{path};
  file << text;
  file.close();
  if (!file) throw UsageError{fmt::format("cannot write {}", path.string())};
}

void write_all(const CLI::App& app, const std::filesystem::path& folder) {
  write_page(folder / "hapax.1", front_page(app));
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_group().empty()) continue;
    write_page(folder / ("hapax-" + command->get_name() + ".1"), page_of(*command));
  }
}

}  // namespace

void add_man(CLI::App& app, Outcome&) {
  CLI::App* command = app.add_subcommand("man", "A manual page, for man(1)");
  command->group("");  // Of use to packagers only.
  auto name = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "Of this command; else of hapax as a whole");
  auto folder = std::make_shared<std::string>();
  command->add_option("--into", *folder, "Write every page into this folder, as hapax.1 and so on");
  command->footer("Examples:\n  hapax man run | man -l -\n  hapax man --into man/man1");
  command->callback([&app, name, folder] {
    if (!folder->empty()) return write_all(app, *folder);
    if (name->empty()) return fmt::print("{}", front_page(app));
    for (const CLI::App* found : app.get_subcommands({})) {
      if (found->get_name() == *name) return fmt::print("{}", page_of(*found));
    }
    throw UsageError{fmt::format("there is no command '{}'; see `hapax --help`", *name)};
  });
}

}  // namespace hapax::cli
