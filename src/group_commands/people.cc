#include "group_commands/people.h"

#include <fmt/format.h>
#include <utility>

#include "jobs/waiting.h"

namespace hapax::cli {
namespace {

constexpr std::size_t kShownCommand = 60;

}  // namespace

std::string show_command(const std::string& command) {
  const std::size_t slash = command.substr(0, command.find(' ')).rfind('/');
  const std::string short_name = slash == std::string::npos ? command : command.substr(slash + 1);
  if (short_name.size() <= kShownCommand) return short_name;
  std::size_t end = kShownCommand;
  while (end > 0 && (static_cast<unsigned char>(short_name[end]) & 0xc0) == 0x80) --end;
  return short_name.substr(0, end) + "…";
}

std::string show_since(std::chrono::milliseconds since) {
  const auto ms = since.count();
  if (ms < 1000) return fmt::format("{} ms", ms);
  const auto s = ms / 1000;
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

std::string show_person(const Person& person) {
  if (person.pid == 0) return show_command(person.command);  // Not one of ours.
  return fmt::format("{} pid {} ({})", person.host, person.pid, show_command(person.command));
}

std::string show_member(const GroupStatus& status, std::uint32_t member) {
  if (status.view) {
    for (const ViewStatus::Life& life : status.view->lives) {
      if (life.seat == member && life.is_member) return life.name;
    }
  }
  return fmt::format("member {}", member);
}

std::string show_leader(const GroupStatus& s) {
  std::string text = fmt::format("{}, term {}: ", s.election, s.term);
  if (s.leader) {
    text += fmt::format("{} leads those that {} reaches", show_member(s, *s.leader), s.name);
  } else {
    text += "an election is under way";
  }
  return text;
}

}  // namespace hapax::cli
