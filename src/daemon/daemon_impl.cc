#include "daemon/daemon_impl.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/printable.h"
#include "campaigns/election_payload.h"
#include "campaigns/peer_message.h"
#include "daemon/group_settings.h"
#include "daemon/who.h"
#include "figures/group_state.h"
#include "loop/loop.h"
#include "tls/tls.h"

namespace hapax {

using boost::system::error_code;
using std::chrono::steady_clock;

Daemon::Impl::Impl(Loop& io, NodeConfig config, Log log)
    : io_(io), config_(std::move(config)), log_(std::move(log)), watch_([this](auto turn) {
        log_(fmt::format("busy for {} ms at one go, while everybody else waited",
                         turn / std::chrono::milliseconds{1}),
             LogLevel::warning);
      }) {}

// --- beginning and end ---

Result<void> Daemon::Impl::connect() {
  if (const auto good = check_group(io_, config_); !good) return good.error();
  if (!config_.tls) return {};
  auto tls = net::make_tls_context(*config_.tls);
  if (!tls) return tls.error();
  tls_ = std::move(*tls);
  return {};
}

Result<void> Daemon::Impl::start() {
  if (!config_.engine) {
    const auto size = static_cast<std::uint32_t>(config_.members.size());
    leadership_.emplace(Membership{{}, size, NodeId{number(config_.self)}}, config_.election);
  }
  auto joined = join(io_, config_, *this);
  if (!joined) return joined.error();
  joined_ = std::move(*joined);
  config_.self = joined_.group->seat();
  waiters_.emplace(config_.self, *joined_.group,
                   [this](auto delay, auto then) { after(delay, std::move(then)); });
  inquiries_.emplace(config_.self, inquiries_host());
  recordings_.emplace(config_.self, recordings_host());
  breaking_.emplace(breaking_host());
  files_.emplace(files_host());
  clients_.emplace(clients_host());
  warn();
  return clients_->listen(io_, config_, tls_);
}

// At every start: what is not safe should not be forgotten.
void Daemon::Impl::warn() const {
  std::vector<net::Address> open = config_.clients;
  if (config_.listen) open.push_back(*config_.listen);
  if (!config_.engine && !config_.listen) open.push_back(config_.members[number(config_.self)]);
  for (const net::Address& address : open) {
    if (config_.tls || address.is_unix()) continue;
    log_(fmt::format("insecure: at {} any user of this machine may pose as a member or a "
                     "client, and cause two to hold one lock",
                     address.text()),
         LogLevel::warning);
  }
}

Inquiries::Host Daemon::Impl::inquiries_host() {
  Group& group = *joined_.group;
  return {.others = [&group] { return group.others(); },
          .send = [&group](Seat to,
                           const PeerMessage& message) { group.tell(to, payload_of(message)); },
          .is_up = [&group](Seat peer) { return group.is_up(peer); },
          .local_locks =
              [this, &group](const std::string& name) {
                const LockTable* table = group.views().table();
                return table == nullptr ? LockList{LockList::kOfMember}
                                        : locks_at_this_member(*table, *waiters_, name);
              },
          .local_page =
              [this, &group](std::uint64_t place) {
                const LockTable* table = group.views().table();
                return table == nullptr ? LocksPage{} : page_of_locks(*table, *waiters_, place);
              },
          .knows_pages = [&group](Seat peer) { return group.peers().speaks(peer, kKnowPages); },
          .local_report = [this] { return member_report_of(facts()); },
          .after = [this](auto delay, auto then) { after(delay, std::move(then)); }};
}

Recordings::Host Daemon::Impl::recordings_host() {
  Group& group = *joined_.group;
  Inquiries::Host host = inquiries_host();
  return {.others = std::move(host.others),
          .is_up = std::move(host.is_up),
          .knows_recordings =
              [&group](Seat peer) { return group.peers().speaks(peer, kKnowRecordings); },
          .send = std::move(host.send),
          .observe = [&group](const std::string& name, std::shared_ptr<LockObserver> observer)
              -> Result<session::MemberRecording> {
            const LockTable* table = group.views().table();
            if (table == nullptr) return error("no view runs there now");
            auto start = table->observe(name, std::move(observer));
            if (!start) return start.error();
            session::MemberRecording recorded;
            recorded.name = group.name();
            recorded.epoch = table->membership().epoch;
            recorded.place = table->membership().self;
            recorded.size = table->membership().size;
            recorded.start = std::move(*start);
            return recorded;
          },
          .place_of = [&group](Seat seat) -> std::optional<NodeId> {
            const Roll& roll = group.views().keeper().roll();
            for (const Life life : roll.members) {
              if (group.peers().seat_of(life) == seat) return roll.place_of(life);
            }
            return std::nullopt;
          },
          .after = std::move(host.after),
          .now_us =
              [] {
                const auto since = std::chrono::system_clock::now().time_since_epoch();
                return static_cast<std::uint64_t>(since / std::chrono::microseconds{1});
              }};
}

Breaking::Host Daemon::Impl::breaking_host() {
  Inquiries::Host host = inquiries_host();
  return {.others = std::move(host.others),
          .is_up = std::move(host.is_up),
          .send = std::move(host.send),
          .break_here = [this](const BreakLock& asked) { return break_here(asked); },
          .after = std::move(host.after)};
}

Breaking::Broken Daemon::Impl::break_here(const BreakLock& asked) {
  const auto broken =
      waiters_->break_lock(asked.name, asked.fence, "the lock was broken by " + asked.by);
  if (!broken) return {0, broken.error().message};
  if (*broken > 0) {
    log_(fmt::format("broke {}, as asked for by {}: {} who held it here {} told",
                     printable(asked.name), printable(asked.by), *broken,
                     *broken == 1 ? "was" : "were"),
         LogLevel::warning);
  }
  return {*broken};
}

Clients::Host Daemon::Impl::clients_host() {
  return {
      .group = *joined_.group,
      .waiters = *waiters_,
      .inquiries = *inquiries_,
      .recordings = *recordings_,
      .breaking = *breaking_,
      .files = *files_,
      .roles = config_.roles,
      .lock_delays = config_.lock_delays,
      .after = [this](auto delay, auto then) { after(delay, std::move(then)); },
      .log = log_,
      .log_once = [this](const std::string& line, LogLevel level) { log_once(line, level); },
      .log_seldom = [this](const std::string& line, LogLevel level) { log_seldom(line, level); },
      .state = [this] { return state(); },
      .stats = [this] { return stats_of(facts()); },
      .leave = [this](auto patience) { return leave(patience); },
      .evict = [this](const session::Evict& whom, auto done) { evict(whom, std::move(done)); },
      .settings = [this] { return settings_json(*joined_.group, joined_.on_engine); },
      .set_settings =
          [this](const session::SetSettings& asked, std::string by, auto done) {
            set_settings(joined_.on_engine, asked, std::move(by), std::move(done));
          },
      .backup = [this](auto done) { back_up(joined_.on_engine, std::move(done)); },
      .page = [this](const Caller& caller) -> Result<std::string> {
        if (then_on_page) return then_on_page(caller);
        return error("this daemon shows no live page: start it with --page 127.0.0.1:8080");
      }};
}

// A member knows of no lock while its view changes. If all run our view afterwards, none had
// stopped it when it answered: a view that was stopped never runs again. Else we are silent
// ourselves.
Result<void> Daemon::Impl::ask_holders(const std::string& name,
                                       std::function<void(const session::Locks&)> tell) {
  return inquiries_->ask(this, name, [this, tell, epoch = joined_.group->epoch()](auto&& told) {
    const auto locks = std::make_shared<session::Locks>(std::move(told));
    const auto asked = inquiries_->ask_how_all_are(this, [=, this](const session::Reports& all) {
      const bool is_steady =
          std::all_of(all.reports.begin(), all.reports.end(),
                      [&](const auto& report) { return report.size > 0 && report.epoch == epoch; });
      if (!is_steady || !all.silent.empty()) locks->silent.push_back(number(config_.self));
      tell(*locks);
    });
    if (asked) return;
    locks->silent.push_back(number(config_.self));
    tell(*locks);
  });
}

// The first that clients of this machine come to.
static std::string socket_of(const NodeConfig& config) {
  for (const net::Address& address : config.clients) {
    if (address.is_unix()) return address.path;
  }
  return {};
}

GroupFiles::Host Daemon::Impl::files_host() {
  EngineGroup* const group = joined_.on_engine;
  EventDesk::Host news{
      .after = [this](auto delay, auto then) { after(delay, std::move(then)); },
      .ask_holders = [this](const std::string& name,
                            auto tell) { return ask_holders(name, std::move(tell)); },
      .standing =
          [this, group] {
            using Kind = EventDesk::Kind;
            if (joined_.group->lease_left() == Span{0}) return Kind::expired;
            return group != nullptr && group->is_in_jeopardy() ? Kind::jeopardy : Kind::safe;
          },
      .observe =
          [this](const std::string& name, auto tell) {
            return static_cast<std::uint64_t>(waiters_->campaigns().observe(name, std::move(tell)));
          },
      .unobserve = [this](auto id) { waiters_->campaigns().watch().unobserve(ObserverId{id}); }};
  return {
      .news = std::move(news),
      .open = [this] { return open_files(io_, config_); },
      .life = [group] { return group == nullptr ? 0 : number(group->service().keeper().self()); },
      .is_over =
          [group](auto life) { return group != nullptr && group->directory().is_over(Life{life}); },
      .patience = [this] { return std::chrono::milliseconds{500 + 100 * number(config_.self)}; },
      .stamps_beside = socket_of(config_)};
}

void Daemon::Impl::stop() {
  if (std::exchange(is_stopped_, true)) return;
  for (const auto& timer : std::exchange(timers_, {})) timer->cancel();  // They count as work.
  if (inquiries_) inquiries_->clear();
  if (recordings_) recordings_->clear();
  if (breaking_) breaking_->clear();
  if (clients_) clients_->stop();
  if (files_) files_->stop();
  if (joined_.group) joined_.group->stop();
}

void Daemon::Impl::wind_up() {
  if (std::exchange(is_winding_up_, true)) return;
  clients_->wind_up();
  // The group says when it is done, unless its engine is away, or somebody does not let go.
  const Span lease = joined_.on_engine != nullptr ? joined_.group->options().times.ttl : Span{0};
  after(std::chrono::ceil<std::chrono::milliseconds>(lease) + kToWindUp, [this] { on_left(); });
  joined_.group->leave({});
}

void Daemon::Impl::on_left() {
  if (is_stopped_) return;
  if (clients_) clients_->tell_left();
  if (then_on_left) then_on_left();
}

void Daemon::Impl::after(std::chrono::milliseconds delay, std::function<void()> then) {
  const auto timer = std::make_shared<Timer>(io_, delay);
  timers_.insert(timer);
  timer->async_wait([self = weak_from_this(), then = std::move(then), timer](error_code) {
    const auto daemon = self.lock();
    if (!daemon || daemon->is_stopped_) return;
    daemon->timers_.erase(timer);
    then();
  });
}

void Daemon::Impl::log_once(const std::string& line, LogLevel level) {
  if (logged_.size() < 1000 && logged_.insert(line).second) log_(line, level);
}

void Daemon::Impl::log_seldom(const std::string& line, LogLevel level) {
  constexpr std::chrono::minutes kSeldom{1};
  const auto now = steady_clock::now();
  std::erase_if(logged_lately_, [&](const auto& l) { return now - l.second > kSeldom; });
  if (logged_lately_.size() < 100 && logged_lately_.emplace(line, now).second) {
    log_(line, level);
  }
}

// --- the other members ---

void Daemon::Impl::on_leased(Instant until) {
  if (then_on_leased) then_on_leased(until);
}

void Daemon::Impl::on_met(Seat peer) {
  if (waiters_) waiters_->campaigns().watch().met(peer);
  if (!leadership_) return;
  leadership_->up(NodeId{number(peer)}, elected_);
  elect();
}

void Daemon::Impl::on_away(Seat peer) {
  if (!leadership_) return;
  leadership_->down(NodeId{number(peer)}, elected_);
  elect();
}

void Daemon::Impl::on_forgotten(Seat peer) {
  if (waiters_) waiters_->campaigns().watch().forgotten(peer);
  if (!leadership_) return;
  leadership_->up(NodeId{number(peer)}, elected_);
  elect();
}

// In a fixed list a member's place is its seat.
void Daemon::Impl::elect() {
  for (const Outbox::Send& send : elected_.sends()) {
    joined_.group->tell(Seat{number(send.to)}, elected_.bytes(send));
  }
  for (const Outbox::Complaint& complaint : elected_.complaints()) {
    log_once(fmt::format("{}: {}: {}", joined_.group->name_at(Seat{number(complaint.peer)}),
                         name_of(complaint.kind), complaint.text));
  }
  elected_.clear();
}

void Daemon::Impl::on_settled() {
  if (waiters_) waiters_->settle();
}

void Daemon::Impl::on_message(Seat from, std::span<const std::uint8_t> bytes) {
  if (!waiters_) return;
  if (leadership_ && is_election(bytes)) {
    leadership_->receive(NodeId{number(from)}, bytes, elected_);
    return elect();
  }
  const auto message = peer_message_of(bytes);
  if (!message) {
    return log_once(joined_.group->name_at(from) + ": a malformed message");
  }
  const bool is_sound = std::visit(
      [&](const auto& m) {
        if constexpr (requires { waiters_->campaigns().on(from, m); }) {
          return waiters_->campaigns().on(from, m);
        } else if constexpr (requires { recordings_->on(from, m); }) {
          return recordings_->on(from, m);
        } else if constexpr (requires { breaking_->on(from, m); }) {
          return breaking_->on(from, m);
        } else {
          return inquiries_->on(from, m);
        }
      },
      *message);
  if (!is_sound) log_once(joined_.group->name_at(from) + ": a message out of bounds");
}

// --- for people ---

bool Daemon::Impl::is_complete() const {
  const Group& group = *joined_.group;
  if (group.views().table() == nullptr || group.lease_left() == Span{0}) return false;
  const auto others = group.others();
  return std::all_of(others.begin(), others.end(), [&](Seat peer) { return group.is_up(peer); });
}

std::string Daemon::Impl::why_not(const std::string& name) const {
  const Group& group = *joined_.group;
  std::string obstacle = group.obstacle();
  const auto away = group.away();
  const LockTable* table = group.views().table();
  if (!obstacle.empty() || away.empty() || table == nullptr) return obstacle;
  const auto lock = table->describe(name);
  const bool is_held_here = lock && (lock->holder || !lock->sharers.empty());
  return is_held_here ? "" : words_of(away);
}

Result<void> Daemon::Impl::leave(std::chrono::milliseconds patience) {
  if (joined_.on_engine == nullptr) {
    return error(
        "this group is a fixed list of members, which nobody can leave; to stop this one, end its "
        "daemon, and for members that come and go use an engine (`hapax node --engine`)");
  }
  joined_.group->leave(patience);
  if (clients_) clients_->stop_keeping();
  return {};
}

void Daemon::Impl::evict(const session::Evict& asked, std::function<void(std::string)> done) {
  using Kind = session::Evict::Kind;
  using Return = EngineGroup::Return;
  EngineGroup* const group = joined_.on_engine;
  if (group == nullptr) {
    return done("this group is a fixed list of members: nobody can be evicted from it");
  }
  if (asked.kind == Kind::unban) return group->unban(asked.whom, std::move(done));
  group->evict(asked.whom, asked.kind == Kind::ban ? Return::banned : Return::allowed,
               std::move(done));
}

std::optional<Seat> Daemon::Impl::leader() const {
  if (joined_.on_engine != nullptr) return oldest_member(*joined_.on_engine);
  const auto place = leadership_->leader();
  return place ? std::optional{Seat{number(*place)}} : std::nullopt;
}

Result<std::optional<std::chrono::system_clock::time_point>> Daemon::Impl::renew_certificate() {
  std::optional<std::chrono::system_clock::time_point> until;
  if (!tls_) return until;
  if (const auto done = net::renew(*tls_, *config_.tls); !done) return done.error();
  if (const auto done = joined_.group->renew_tls(); !done) return done.error();
  until = net::next_expiry(*tls_, *config_.tls).until;
  return until;
}

Facts Daemon::Impl::facts() const {
  const Group& group = *joined_.group;
  const MemberViews& views = group.views();
  const LockTable* table = views.table();
  LockStats locks = table != nullptr ? table->stats() : LockStats{};
  locks.add_past(past_);
  locks.held = views.held();
  locks.waiting = views.waiting();
  const auto others = group.others();
  const auto is_up = [&](Seat peer) { return group.is_up(peer); };
  return {.group = config_.group,
          .name = config_.name,
          .self = config_.self,
          .election = config_.election,
          .epoch = group.epoch(),
          .view_size = table != nullptr ? table->membership().size : 0,
          .obstacle = obstacle(),
          .peers = others.size(),
          .peers_up = static_cast<std::size_t>(std::count_if(others.begin(), others.end(), is_up)),
          .locks = locks,
          .views = views.stats(),
          .counts = group.counts(),
          .links = group.links(),
          .lease = joined_.on_engine != nullptr ? std::optional{lease_facts(*joined_.on_engine)}
                                                : std::nullopt,
          .leader = leader(),
          .term = leadership_ ? leadership_->term() : Term{number(group.epoch())},
          .longest_turn = watch_.longest(),
          .clients = clients_->size(),
          .requests = clients_->counts(),
          .certificate = tls_ ? std::optional{net::next_expiry(*tls_, *config_.tls)} : std::nullopt,
          .complaints = group.complaints(),
          .uptime = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() -
                                                                          started_)};
}

std::string Daemon::Impl::obstacle() const {
  if (is_winding_up_) return "this member is ending";
  if (!has_started()) return "no lease: waiting for " + config_.engine.value_or("the start");
  return joined_.group->obstacle();
}

session::State Daemon::Impl::state() const {
  session::State state = state_of(facts());
  describe_obstacles(*joined_.group, state);
  if (joined_.on_engine != nullptr) {
    describe(*joined_.on_engine, *config_.engine, state);
  } else {
    describe(*joined_.group, state);
  }
  return state;
}

}  // namespace hapax
