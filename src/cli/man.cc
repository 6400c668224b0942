#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "console/usage.h"

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

std::string flags_of(const Option& option) {
  std::vector<std::string> names = option.spellings();
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return !name.starts_with("--"); });
  const bool has_value = !option.is_flag() && !option.is_positional();
  return fmt::format("{}{}", fmt::join(names, ", "), has_value ? " VALUE" : "");
}

std::string synopsis_of(const Command& command) {
  std::string text = fmt::format(".B hapax {}\n[OPTIONS]", escaped(command.name));
  for (const Option& option : command.options) {
    if (!option.is_positional()) continue;
    text += option.details.required ? " " + option.names : " [" + option.names + "]";
  }
  if (command.is_prefix) text += escaped(" -- CMD [ARGUMENT ...]");
  return text + '\n';
}

std::string head_of(const std::string& title, const std::string& name, const std::string& what) {
  return fmt::format(".TH \"{}\" 1 \"\" \"hapax {}\"\n.SH NAME\n{} \\- {}\n", title, kVersion,
                     escaped(name), escaped(what));
}

std::string entry_of(const std::string& flags, const std::string& meaning) {
  return fmt::format(".TP\n.B {}\n{}\n", escaped(flags), escaped(meaning));
}

// The same words as --help.
std::string page_of(const Command& command) {
  const std::string name = "hapax-" + command.name;
  std::string text = head_of(name, name, command.summary);
  text += ".SH SYNOPSIS\n" + synopsis_of(command) + ".SH OPTIONS\n";
  text += entry_of("-h, --help", kHelpMeaning);
  for (const Option& option : command.options) text += entry_of(flags_of(option), option.meaning);
  if (!command.footer.empty()) {
    text += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", escaped(command.footer));
  }
  return text + ".SH SEE ALSO\n.BR hapax (1), flock (1)\n";
}

std::string front_page(const Program& program) {
  std::string text = head_of("hapax", "hapax", "at most one, across machines");
  text += ".SH SYNOPSIS\n.B hapax\nCOMMAND [OPTIONS]\n.SH COMMANDS\n";
  for (const Command& command : program.commands) {
    if (command.is_hidden()) continue;
    text += fmt::format(".TP\n.BR hapax\\-{} (1)\n{}\n", escaped(command.name),
                        escaped(command.summary));
  }
  return text + fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", escaped(program.footer));
}

void write_page(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file{path};
  file << text;
  file.close();
  if (!file) throw UsageError{fmt::format("cannot write {}", path.string())};
}

void write_all(const Program& program, const std::filesystem::path& folder) {
  write_page(folder / "hapax.1", front_page(program));
  for (const Command& command : program.commands) {
    if (command.is_hidden()) continue;
    write_page(folder / ("hapax-" + command.name + ".1"), page_of(command));
  }
}

struct ManArguments {
  std::string name, folder;
};

int run_man(const Program& program, const ManArguments& a) {
  if (!a.folder.empty()) {
    write_all(program, a.folder);
    return kHolds;
  }
  std::string page = a.name.empty() ? front_page(program) : "";
  for (const Command& command : program.commands) {
    if (command.name == a.name) page = page_of(command);
  }
  if (page.empty()) {
    throw UsageError{fmt::format("there is no command '{}'; see `hapax --help`", a.name)};
  }
  fmt::print("{}", page);
  return kHolds;
}

Command describe_man(ManArguments& a) {
  Command command{"man", "A manual page, for man(1)", kHidden};  // Of use to packagers only.
  command.add("COMMAND", &a.name, "Of this command; else of hapax as a whole");
  command.add("--into", &a.folder, "Write every page into this folder, as hapax.1 and so on");
  command.footer = "Examples:\n  hapax man run | man -l -\n  hapax man --into man/man1";
  return command;
}

}  // namespace

Command man_command(const Program& program) {
  return make_command(describe_man,
                      [&program](const ManArguments& a) { return run_man(program, a); });
}

}  // namespace hapax::cli
