// The view change with an algorithm inside, as a model for the search. A state is a row of numbers:
// one for each process, one for each link, one for what is everybody's.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "search/parts.h"
#include "viewcheck/view_scene.h"
#include "wire/codec.h"

namespace hapax {

struct ViewStep {
  enum class Kind : std::uint8_t {
    // What happens at last if it stays possible.
    exit,
    read,
    write,
    deliver,
    learn,
    propose,
    commit,
    wake,
    beat,
    rejoin,
    expire,
    expire_ghost,
    // What may happen or not.
    ask,
    ask_to_share,
    join,
    pause,
    crash,
    restart,
    leave,
    evict,
    give_way,
    answer_lost,
    commit_lost,
    forget,
    deliver_twice,
    lose
  };
  Kind kind{};
  std::uint8_t from = 0;   // Whose step it is; of a message, the sender.
  std::uint8_t to = 0;     // Of a message.
  std::uint32_t link = 0;  // Of a message: the number of its link's contents.
};

template <MutexAlgorithm A>
class ViewModel {
 public:
  using Action = ViewStep;
  using Scene = ViewScene<A>;
  using Kind = ViewStep::Kind;

  explicit ViewModel(const ViewCheckOptions& options)
      : options_(options), n_(options.n), scene_(options), now_(parts()), next_(parts()) {
    for (std::uint32_t i = 0; i < n_; ++i) now_[i] = number_of(processes_, scene_.processes[i]);
    for (std::uint32_t l = 0; l < n_ * n_; ++l) now_[n_ + l] = number_of_link(scene_.links[l]);
    now_.back() = number_of(commons_, scene_.commons);
    first_ = now_;
  }

  std::uint32_t width() const { return (parts() + 1) / 2; }
  void initial(std::uint64_t* row) const { pack(first_, row); }

  template <class Sink>
  void expand(const std::uint64_t* row, Sink& sink) {
    std::memcpy(now_.data(), row, now_.size() * sizeof(std::uint32_t));
    for (std::uint32_t i = 0; i < n_; ++i) scene_.processes[i] = processes_[now_[i]];
    for (std::uint32_t l = 0; l < n_ * n_; ++l) scene_.links[l] = links_[now_[n_ + l]];
    scene_.commons = commons_[now_.back()];
    for (std::uint32_t i = 0; i < n_; ++i) expand_process(sink, i);
  }

  // Who waits, alive and not on its way out.
  std::uint64_t waits(const std::uint64_t* row) const {
    std::uint64_t waiting = 0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (process_at(row, i).alive && process_at(row, i).client == Phase::waiting) {
        waiting |= std::uint64_t{1} << i;
      }
    }
    return waiting;
  }
  std::string dead_end(const std::uint64_t* row) const {
    return fmt::format("P{} waits for ever", std::countr_zero(waits(row)) + 1);
  }
  std::optional<std::uint32_t> fair_class(const ViewStep& step) const {
    if (step.kind >= Kind::ask) return std::nullopt;
    // Links first, then a few kinds a process.
    if (step.kind == Kind::deliver) return step.from * n_ + step.to;
    return n_ * n_ + static_cast<std::uint32_t>(step.kind) * n_ + step.from;
  }

  std::vector<std::string> tell(const std::vector<ViewStep>& way) const {
    std::vector<std::string> lines;
    for (const ViewStep& step : way) lines.push_back(tell(step));
    return lines;
  }

 private:
  std::uint32_t parts() const { return n_ + n_ * n_ + 1; }
  void pack(const std::vector<std::uint32_t>& from, std::uint64_t* row) const {
    row[width() - 1] = 0;
    std::memcpy(row, from.data(), from.size() * sizeof(std::uint32_t));
  }
  const Process<A>& process_at(const std::uint64_t* row, std::uint32_t i) const {
    std::uint32_t number;
    std::memcpy(&number, reinterpret_cast<const char*>(row) + i * sizeof number, sizeof number);
    return processes_[number];
  }

  template <class Sink>
  void expand_process(Sink& sink, std::uint32_t i) {
    const Process<A>& p = scene_.processes[i];
    const bool may_fail = scene_.commons.faults > 0;
    const auto take = [&](bool can, Kind kind, auto&& act) {
      if (can) step(sink, {kind, narrow(i)}, act);
    };
    const auto fault = [&](bool can, Kind kind, auto&& act) {
      take(can && may_fail, kind, [&] {
        scene_.spend();
        act();
      });
    };
    take(scene_.can_write(i), Kind::write, [&] { scene_.write(i); });
    take(p.ghost.has_value(), Kind::expire_ghost, [&] { scene_.expire_ghost(i); });
    if (!p.alive) {
      take(scene_.can_expire(i) && !options_.leaves_out(ViewRule::loop_beats), Kind::expire,
           [&] { scene_.expire(i); });
      fault(options_.restart, Kind::restart, [&] { scene_.restart(i); });
      return;
    }
    if (p.is_late()) return take(true, Kind::wake, [&] { scene_.wake(i); });

    if constexpr (Scene::kHasModes) {
      take(scene_.can_ask(i), Kind::ask_to_share, [&] { scene_.ask(i, Mode::shared); });
    }
    take(scene_.can_ask(i), Kind::ask, [&] { scene_.ask(i, Scene::kFirstMode); });
    take(scene_.can_exit(i), Kind::exit, [&] { scene_.exit(i); });
    take(scene_.can_read(i), Kind::read, [&] { scene_.read(i); });
    take(scene_.can_learn(i), Kind::learn, [&] { scene_.learn(i); });
    take(scene_.can_propose(i), Kind::propose, [&] { scene_.propose(i); });
    take(scene_.can_beat(i), Kind::beat, [&] { scene_.beat(i); });
    const bool joins = p.lives == 1;
    take(scene_.can_announce(i), joins ? Kind::join : Kind::rejoin, [&] { scene_.announce(i); });
    take(scene_.can_commit(i), Kind::commit, [&] { scene_.commit(i, true, true); });
    fault(options_.lost_answer && scene_.can_commit(i), Kind::answer_lost,
          [&] { scene_.commit(i, false, true); });
    fault(options_.lost_answer && scene_.can_commit(i), Kind::commit_lost,
          [&] { scene_.commit(i, false, false); });
    take(options_.leaves_out(ViewRule::instance_kept) && scene_.can_forget(i), Kind::forget,
         [&] { scene_.forget(i); });

    fault(options_.pause && scene_.can_expire(i), Kind::pause, [&] { scene_.expire(i); });
    const bool is_in = p.keeper.standing() != Standing::outside && !p.gone;
    fault(options_.crash && is_in, Kind::crash, [&] { scene_.crash(i); });
    fault(options_.leave && scene_.can_leave(i), Kind::leave, [&] { scene_.leave(i); });
    fault(options_.evict && scene_.can_be_evicted(i), Kind::evict, [&] { scene_.evict(i); });
    // It beats no more.
    take(p.keeper.is_leaving() && scene_.can_expire(i), Kind::expire, [&] { scene_.expire(i); });
    const bool is_member =
        p.keeper.standing() == Standing::running || p.keeper.standing() == Standing::changing;
    fault(options_.cut && is_member && !p.keeper.is_leaving(), Kind::give_way,
          [&] { scene_.give_way(i); });
    for (std::uint32_t from = 0; from < n_; ++from) {
      if (from != i && scene_.can_deliver(from, i)) expand_link(sink, from, i);
    }
  }

  template <class Sink>
  void expand_link(Sink& sink, std::uint32_t from, std::uint32_t to) {
    const std::uint32_t contents = now_[n_ + from * n_ + to];
    const bool may_fail = scene_.commons.faults > 0;
    step(sink, {Kind::deliver, narrow(from), narrow(to), contents},
         [&] { scene_.deliver(from, to); });
    if (may_fail && options_.leaves_out(ViewRule::sent_once)) {
      step(sink, {Kind::deliver_twice, narrow(from), narrow(to), contents}, [&] {
        scene_.spend();
        scene_.deliver(from, to, true);
      });
    }
    if (may_fail && options_.leaves_out(ViewRule::sent_at_least_once)) {
      step(sink, {Kind::lose, narrow(from), narrow(to), contents}, [&] {
        scene_.spend();
        scene_.lose(from, to);
      });
    }
  }

  // Takes the step, hands it on, and puts everything back as it was.
  template <class Sink, class Act>
  void step(Sink& sink, const ViewStep& action, Act&& act) {
    scene_.touched_processes = scene_.touched_links = 0;
    scene_.touched_commons = false;
    scene_.failure.reset();
    const std::uint64_t entered_before = insiders();
    act();
    for (std::uint64_t fresh = insiders() & ~entered_before; fresh != 0; fresh &= fresh - 1) {
      sink.enter(static_cast<std::uint32_t>(std::countr_zero(fresh)));
    }
    if (scene_.failure) {
      sink.fail(action, scene_.failure->property, scene_.failure->text);
      next_ = now_;
    } else {
      number_what_changed();
    }
    put_back();
    if (scene_.failure) return;
    packed_.resize(width());
    pack(next_, packed_.data());
    sink.step(action, packed_.data());
  }
  std::uint64_t insiders() const {
    std::uint64_t inside = 0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (scene_.processes[i].client == Phase::inside) inside |= std::uint64_t{1} << i;
    }
    return inside;
  }
  void number_what_changed() {
    next_ = now_;
    for_each_bit(scene_.touched_processes,
                 [&](std::uint32_t i) { next_[i] = number_of(processes_, scene_.processes[i]); });
    for_each_bit(scene_.touched_links,
                 [&](std::uint32_t l) { next_[n_ + l] = number_of_link(scene_.links[l]); });
    if (scene_.touched_commons) next_.back() = number_of(commons_, scene_.commons);
  }
  void put_back() {
    for_each_bit(scene_.touched_processes,
                 [&](std::uint32_t i) { scene_.processes[i] = processes_[now_[i]]; });
    for_each_bit(scene_.touched_links,
                 [&](std::uint32_t l) { scene_.links[l] = links_[now_[n_ + l]]; });
    if (scene_.touched_commons) scene_.commons = commons_[now_.back()];
  }
  template <class F>
  static void for_each_bit(std::uint64_t bits, F&& f) {
    for (; bits != 0; bits &= bits - 1) f(static_cast<std::uint32_t>(std::countr_zero(bits)));
  }

  template <class T>
  std::uint32_t number_of(Parts<T>& parts, const T& value) {
    key_.clear();
    encode_to(key_, value);
    return parts.number_of(key(), [&] { return value; });
  }
  std::uint32_t number_of_link(const typename Scene::Link& link) {
    key_.clear();
    for (const auto& parcel : link) encode_to(key_, parcel);
    return links_.number_of(key(), [&] { return link; });
  }
  std::string_view key() const { return {reinterpret_cast<const char*>(key_.data()), key_.size()}; }
  static std::uint8_t narrow(std::uint32_t i) { return static_cast<std::uint8_t>(i); }

  std::string tell(const ViewStep& step) const;

  ViewCheckOptions options_;
  std::uint32_t n_;
  Scene scene_;
  Parts<Process<A>> processes_;
  Parts<typename Scene::Link> links_;
  Parts<Commons> commons_;
  std::vector<std::uint32_t> first_, now_, next_;
  std::vector<std::uint64_t> packed_;
  Bytes key_;
};

template <MutexAlgorithm A>
std::string ViewModel<A>::tell(const ViewStep& step) const {
  const std::uint32_t who = step.from + 1u;
  const auto parcel = [&] {
    const auto& first = links_[step.link].front();
    const std::string what = first.is_report
                                 ? fmt::format("its report, {}", first.held ? "held" : "not held")
                                 : to_text(*first.message);
    return fmt::format("P{}: {} of view {}", who, what, first.epoch);
  };
  const std::uint32_t to = step.to + 1u;
  switch (step.kind) {
    case Kind::exit:
      return fmt::format("P{}'s client leaves", who);
    case Kind::read:
      return fmt::format("P{}'s client reads behind the gate", who);
    case Kind::write:
      return fmt::format("P{}'s client writes", who);
    case Kind::deliver:
      return fmt::format("P{} receives from {}", to, parcel());
    case Kind::learn:
      return fmt::format("P{} learns of the next view", who);
    case Kind::propose:
      return fmt::format("P{} reads the register and prepares a proposal", who);
    case Kind::commit:
      return fmt::format("P{} commits its proposal, or hears of a conflict", who);
    case Kind::wake:
      return fmt::format("P{} notices that its lease is over", who);
    case Kind::beat:
      return fmt::format("P{} beats again, or is refused", who);
    case Kind::rejoin:
      return fmt::format("P{} comes back as a new life", who);
    case Kind::expire:
      return fmt::format("the lease of P{}, which beats no more, runs out", who);
    case Kind::expire_ghost:
      return fmt::format("the lease of P{}'s former life runs out", who);
    case Kind::ask:
      return fmt::format("P{}'s client asks", who);
    case Kind::ask_to_share:
      return fmt::format("P{}'s client asks to share", who);
    case Kind::join:
      return fmt::format("P{} joins", who);
    case Kind::pause:
      return fmt::format("P{} is silent until its lease is over", who);
    case Kind::crash:
      return fmt::format("P{} crashes", who);
    case Kind::restart:
      return fmt::format("P{} restarts", who);
    case Kind::leave:
      return fmt::format("P{} wants to leave the group", who);
    case Kind::evict:
      return fmt::format("P{} is evicted", who);
    case Kind::give_way:
      return fmt::format("P{} is cut off from another member and gives way", who);
    case Kind::answer_lost:
      return fmt::format("P{}'s proposal is tried, and the answer lost", who);
    case Kind::commit_lost:
      return fmt::format("P{}'s proposal is lost on its way", who);
    case Kind::forget:
      return fmt::format("P{} forgets its idle instance", who);
    case Kind::deliver_twice:
      return fmt::format("P{} receives from {}; it will come again", to, parcel());
    case Kind::lose:
      return fmt::format("lost on the way to P{}: {}", to, parcel());
  }
  return "?";
}

}  // namespace hapax
