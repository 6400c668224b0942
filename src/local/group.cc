#include "local/group.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace hapax::local {
namespace {

// "2026-11-15T12:50:44.123Z text" is a line of a log, "hapax: text" the last of one that fails.
std::string without_preface(const std::string& line) {
  constexpr std::size_t kTime = 24;
  if (line.size() > kTime && line[kTime - 1] == 'Z' && line[kTime] == ' ') {
    return line.substr(kTime + 1);
  }
  return line.starts_with("hapax: ") ? line.substr(7) : line;
}

bool is_complete(const GroupStatus& status, std::size_t size) {
  if (!status.view || status.view->lease.count() == 0 || status.view->standing != "running") {
    return false;
  }
  const auto& lives = status.view->lives;
  return static_cast<std::size_t>(std::count_if(
             lives.begin(), lives.end(), [](const auto& life) { return life.is_member; })) == size;
}

}  // namespace

Group::Group(const GroupPlan& plan)
    : engine_file_(plan.folder / "group.db"), log_(plan.log), last_words_(plan.size) {
  std::vector<int> logs;
  try {
    for (std::uint32_t i = 0; i < plan.size; ++i) logs.push_back(start(plan, i));
  } catch (...) {
    for (const int log : logs) close(log);
    throw;
  }
  reader_ = std::make_unique<LineReader>(std::move(logs), [this](std::size_t i, const auto& line) {
    heard(static_cast<std::uint32_t>(i), line);
  });
}

Group::~Group() = default;

// Returns where its log can be read.
int Group::start(const GroupPlan& plan, std::uint32_t i) {
  const std::string name = fmt::format("member-{}", i + 1);
  Member member{"unix:" + (plan.clients / (name + ".sock")).string()};
  std::vector<std::string> words{"hapax",      "node",
                                 "--engine",   "embedded:" + engine_file_.string(),
                                 "--listen",   "unix:" + (plan.folder / (name + ".link")).string(),
                                 "--clients",  member.address,
                                 "--name",     name,
                                 "--seat",     std::to_string(i + 1),
                                 "--ttl",      plan.ttl,
                                 "--state",    (plan.folder / (name + ".state")).string(),
                                 "--new-group"};
  for (const std::string& address : plan.first_serves_too) {
    if (i == 0 && address != member.address) words.insert(words.end(), {"--clients", address});
  }
  words.insert(words.end(), plan.settings.begin(), plan.settings.end());
  if (i == 0) {
    words.insert(words.end(), plan.first_settings.begin(), plan.first_settings.end());
  }
  std::array<int, 2> log{};
  // A daemon never waits for the reader of its log, since we may be stopped: what does not fit is
  // lost.
  if (pipe2(log.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error{errno, std::generic_category(), "pipe"};
  }
  try {
    member.daemon = std::make_unique<Child>(name, Command{.words = std::move(words),
                                                          .program = plan.program,
                                                          .error = log[1],
                                                          .without_settings = true});
  } catch (...) {
    close(log[0]);
    close(log[1]);
    throw;
  }
  close(log[1]);
  members_.push_back(std::move(member));
  return log[0];
}

void Group::heard(std::uint32_t i, const std::string& line) {
  const std::string text = without_preface(line);
  {
    const std::scoped_lock lock{mutex_};
    last_words_[i] = text;
  }
  if (log_) log_(i, text);
}

bool Group::is_complete() {
  bool complete = true;
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (const auto ended = members_[i].daemon->status()) {
      reader_.reset();  // By then all that it said has been heard.
      const std::scoped_lock lock{mutex_};
      throw MemberEnded{members_[i].daemon->name(), *ended, last_words_[i]};
    }
    if (!complete) continue;
    const auto answer = status(i);
    complete = answer && local::is_complete(*answer, members_.size());
  }
  return complete;
}

std::optional<GroupStatus> Group::status(std::uint32_t i) {
  Member& member = members_.at(i);
  try {
    if (!member.client) member.client = std::make_unique<Client>(member.address);
    return member.client->status();
  } catch (const std::system_error&) {
    member.client.reset();
    return std::nullopt;
  }
}

std::string Group::address(std::uint32_t i) const { return members_.at(i).address; }

void Group::end(std::chrono::milliseconds patience) {
  for (Member& member : members_) member.daemon->ask_to_end();
  const auto give_up = std::chrono::steady_clock::now() + patience;
  for (Member& member : members_) {
    const auto left = give_up - std::chrono::steady_clock::now();
    member.daemon->wait_for_end(std::chrono::ceil<std::chrono::milliseconds>(left));
  }
}

}  // namespace hapax::local
