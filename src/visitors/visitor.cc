#include "visitors/visitor.h"

#include <algorithm>
#include <vector>

#include "base/credentials.h"
#include "base/printable.h"
#include "net/endpoint.h"

namespace hapax {
namespace {

// For people's eyes: printable, and not too long.
std::string shown(std::string text) {
  if (text.size() > session::kLongestText) text.resize(session::kLongestText);
  std::replace(text.begin(), text.end(), '\n', ' ');
  text = printable(text);
  if (text.size() <= session::kLongestText) return text;
  std::size_t end = session::kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

Visitor::Visitor(net::Socket socket, std::shared_ptr<net::TlsContext> tls, Handlers handlers,
                 std::shared_ptr<RequestCounts> request_counts)
    : SessionStream(std::move(socket), std::move(tls)),
      counts(std::move(request_counts)),
      handlers_(std::move(handlers)) {
  const auto from = net::there_of(this->socket());
  remote_ = from ? from->host() : "somebody who left";
}

void Visitor::introduce(const session::Hello& hello) {
  const auto process = credentials_of(socket());
  const auto known = process ? static_cast<std::uint32_t>(process->pid) : 0;
  if (process) caller_.user = process->uid;
  caller_.certified = certified();
  only_asks_ = hello.asks_only;
  pid_ = known != 0 ? known : hello.pid;
  has_our_pids_ = !is_behind_tcp() && known == hello.pid;
  host_ = shown(certified().empty() ? hello.host : certified() + "@" + hello.host);
  command_ = shown(hello.command);
}

void Visitor::share() {
  int descriptor = -1;
  if (!is_behind_tcp() && !kept && reads_along()) {
    auto [words, of_them] = kept::SharedWords::make();
    descriptor = of_them;
    if (words) kept.emplace(std::move(words));
  }
  tell(session::Shared{});
  if (descriptor >= 0) hand_over(descriptor);
}

void Visitor::stop_keeping() {
  if (!kept) return;
  // What one gives back may end others.
  std::vector<session::RequestId> all;
  for (const auto& [id, request] : requests) {
    if (request.is_held()) all.push_back(id);
  }
  for (const session::RequestId id : all) {
    const auto at = requests.find(id);
    if (at != requests.end()) at->second.on_wanted(at->second.waiter());
  }
}

void Visitor::has_job(const session::Job& job) {
  if (!has_our_pids_ || !caller_.user) return;
  job_ = ProcessGroup::led_by(static_cast<pid_t>(job.group), *caller_.user);
}

bool Visitor::holds_anything() const {
  return std::any_of(requests.begin(), requests.end(),
                     [](const auto& entry) { return entry.second.is_held(); });
}

}  // namespace hapax
