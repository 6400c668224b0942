#include "group_commands/view_text.h"

#include <chrono>
#include <fmt/format.h>
#include <set>

#include "base/release.h"
#include "console/show.h"
#include "console/table.h"
#include "console/terminal.h"

namespace hapax::cli {

void print_members(const ViewStatus& v) {
  Table table;
  table.column("life");
  table.column("seat");
  table.column("name", Table::Align::left, Table::Length::long_);
  table.column("is", Table::Align::left);
  table.column("link", Table::Align::left);
  table.column("release", Table::Align::left);
  table.column("address", Table::Align::left, Table::Length::long_);
  for (const ViewStatus::Life& life : v.lives) {
    table.row({fmt::format("{}", life.life), fmt::format("{}", life.seat), life.name,
               life.is_evicted  ? "evicted"
               : life.is_member ? "member"
                                : "joining",
               life.is_up ? "up" : "away", show_release(life.release), life.address});
  }
  show("{}", table.text_within(page_width()));
  for (const ViewStatus::Ban& ban : v.bans) {
    show("banned: {}, seat {}, by {}; `hapax evict {} --unban` lets it back in\n", ban.name,
         ban.seat, ban.by, ban.name);
  }
}

std::string show_lease(const ViewStatus& v, const std::string& obstacle) {
  if (v.lease.count() == 0) {
    return obstacle.empty() ? fmt::format("no lease: {}; nothing is granted here", v.standing)
                            : obstacle;
  }
  // After `settings set --ttl` with a shorter one, until what was promised before has ended.
  const bool is_from_before = v.lease > v.ttl;
  return fmt::format("lease: {} ms left{}; {}{}", v.lease.count(),
                     is_from_before
                         ? fmt::format(" of a longer TTL; it is {} ms from then on", v.ttl.count())
                         : fmt::format(" of {}", v.ttl.count()),
                     v.standing, v.in_jeopardy ? "; in jeopardy: locks are lost when it ends" : "");
}

void print_view(const ViewStatus& v, const std::string& obstacle) {
  show("engine {}: {}{}\n", v.engine, v.engine_reachable ? "answers" : "does not answer",
       v.engine_reachable ? "" : fmt::format(" ({})", v.engine_said));
  show("{}\n\n", show_lease(v, obstacle));
  print_members(v);
}

std::string show_release(const std::string& release) { return release.empty() ? "-" : release; }

std::string show_certificate(const GroupStatus::Certificate& c) {
  const auto left = c.until - std::chrono::system_clock::now();
  const auto hours = std::chrono::abs(std::chrono::duration_cast<std::chrono::hours>(left)).count();
  const std::string time =
      hours < 48 ? fmt::format("{} hours", hours) : fmt::format("{} days", hours / 24);
  return left.count() < 0 ? fmt::format("certificate: EXPIRED {} ago ({})\n", time, c.file)
                          : fmt::format("certificate: good for {} ({})\n", time, c.file);
}
std::string release_warnings(const GroupStatus& s) {
  std::string text;
  if (!are_neighbours(s.release, release())) {
    text = fmt::format("this hapax is {}: use one that is at most one minor version away\n",
                       release());
  }
  std::set<std::string> releases{s.releases.begin(), s.releases.end()};
  if (s.view) {
    for (const ViewStatus::Life& life : s.view->lives) {
      if (life.is_member) releases.insert(life.release);
    }
  }
  releases.erase("");
  if (releases.size() > 1) {
    text += fmt::format("members run different releases, {}: go on with the upgrade, or back\n",
                        fmt::join(releases, " and "));
  }
  return text;
}

}  // namespace hapax::cli
