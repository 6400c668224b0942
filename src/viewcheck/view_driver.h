// What a driver does with the keeper and the lock of each process, and the links between them; it
// is what the node does, for one lock, with real time left out but for this: whose lease is over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "core/effects.h"
#include "core/fence.h"
#include "core/make.h"
#include "core/mutex_algorithm.h"
#include "core/shared_algorithm.h"
#include "core/view.h"
#include "view/keeper.h"
#include "viewcheck/view_options.h"
#include "viewcheck/view_parts.h"

namespace hapax {

template <MutexAlgorithm A>
class ViewDriver {
 public:
  using Message = typename A::Message;
  using Link = std::vector<Parcel<Message>>;

  struct Failure {
    std::string_view property;
    std::string text;
  };

  std::vector<Process<A>> processes;
  std::vector<Link> links;  // From i to j: i * n + j.
  Commons commons;
  // Which of the parts above a step has changed, for the model.
  std::uint64_t touched_processes = 0;
  std::uint64_t touched_links = 0;
  bool touched_commons = false;
  std::optional<Failure> failure;

  Link& link(std::uint32_t from, std::uint32_t to) { return links[from * n_ + to]; }

  // Whether one may ask for different things.
  static constexpr bool kHasModes = [] {
    if constexpr (SharedAlgorithm<A>) return A::kModes.size() > 1;
    return false;
  }();
  static constexpr Mode kFirstMode = [] {
    if constexpr (SharedAlgorithm<A>) return A::kModes[0];
    return Mode::exclusive;
  }();

 protected:
  explicit ViewDriver(const ViewCheckOptions& options) : options_(options), n_(options.n) {}

  static constexpr std::uint32_t kHash = 7;  // Of the lock's name: its home is kHash % size.

  Life life_of(std::uint32_t i, std::uint32_t life) const { return Life{i + n_ * life + 1}; }
  std::uint32_t process_of(Life life) const {
    return static_cast<std::uint32_t>((number(life) - 1) % n_);
  }
  bool is_marked(Life life) const {
    return std::find(commons.marked.begin(), commons.marked.end(), life) != commons.marked.end();
  }

  Process<A>& touch(std::uint32_t i) {
    touched_processes |= std::uint64_t{1} << i;
    return processes[i];
  }
  Commons& touch_commons() {
    touched_commons = true;
    return commons;
  }
  Link& touch_link(std::uint32_t from, std::uint32_t to) {
    touched_links |= std::uint64_t{1} << (from * n_ + to);
    return link(from, to);
  }
  void pop(std::uint32_t from, std::uint32_t i) {
    Link& parcels = touch_link(from, i);
    parcels.erase(parcels.begin());
  }
  void clear_links_to(std::uint32_t i) {
    for (std::uint32_t from = 0; from < n_; ++from) {
      if (!link(from, i).empty()) touch_link(from, i).clear();
    }
  }
  template <class... Args>
  void fail(std::string_view property, fmt::format_string<Args...> format, Args... who) {
    if (!failure) failure = Failure{property, fmt::format(format, (who + 1)...)};
  }

  void carry_out(std::uint32_t i, const Keeper::Effects& effects) {
    Process<A>& p = touch(i);
    // It may not hear at once that this life is over, and was promised the lease.
    if (effects.ended && p.client == Phase::inside && !p.expired) leave_ghost(i);
    if (effects.lost && p.client == Phase::inside &&
        !(effects.ended && options_.leaves_out(ViewRule::rejoin_empty))) {
      p.stop_working();
      if (options_.leaves_out(ViewRule::loss_releases) && p.lock) {
        p.lock = make_lock(p.view, {});
      } else {
        give_back(i);
      }
    }
    if (effects.recall &&
        (p.client != Phase::inside || options_.leaves_out(ViewRule::promise_kept))) {
      p.keeper.drained();
    }
    if (effects.stop) stop(i);
    if (effects.report) report(i);
    if (effects.begin) begin(i);
    if (effects.ended) {
      p.gone = p.going;
      be_reborn(i);
    }
  }

  bool keeps_instance() const {
    return options_.leaves_out(ViewRule::messages_stop) ||
           options_.leaves_out(ViewRule::entries_stop);
  }
  void stop(std::uint32_t i) {
    Process<A>& p = processes[i];
    p.entered.reset();
    if (!keeps_instance()) p.lock.reset();
  }

  void report(std::uint32_t i) {
    Process<A>& p = processes[i];
    const Roll& roll = p.keeper.roll();
    const bool held = p.client == Phase::inside || p.owes_release;
    p.holders.clear();
    if (held) p.holders.push_back(p.keeper.self());
    for (const Life life : roll.members) {
      if (life == p.keeper.self()) continue;
      send(
          i, life,
          {roll.epoch, *roll.place_of(p.keeper.self()), p.keeper.self(), true, held, std::nullopt});
    }
    drop_what_is_old(i);
    if (options_.leaves_out(ViewRule::barrier)) {
      Keeper::Effects effects;
      for (const Life life : roll.members) p.keeper.on_report(life, roll.epoch, effects);
      if (effects.begin) begin(i);
    }
  }

  void begin(std::uint32_t i) {
    Process<A>& p = processes[i];
    const Roll& roll = p.keeper.roll();
    if (!SharedAlgorithm<A> && p.holders.size() > 1)
      fail("exclusion", "P{} hears of two holders", i);
    View view{roll.epoch, static_cast<std::uint32_t>(roll.members.size()),
              *roll.place_of(p.keeper.self()), NodeId{}, false};
    view.holder = NodeId{kHash % view.size};
    view.held = options_.leaves_out(ViewRule::home_is_idle);
    const bool holds = p.client == Phase::inside || p.owes_release;
    if (!SharedAlgorithm<A> && !p.holders.empty()) {
      if (const auto place = roll.place_of(p.holders.front())) view.holder = *place;
      view.held = true;
    }
    p.holders.clear();
    p.view = view;
    p.lock = make_lock(view, {p.held_mode, holds ? 1u : 0u});
    start(*p.lock, fx_);
    settle(i);
    if (std::exchange(p.owes_release, false) && p.lock->phase() == Phase::inside) give_back(i);
    if (p.client == Phase::waiting && p.lock->phase() == Phase::idle &&
        !options_.leaves_out(ViewRule::asked_again)) {
      request(i);
    }
  }

  // `here`: what is held at this member. Those that let several in ask the others for the rest.
  A make_lock(const View& view, const Holding& here) const {
    if constexpr (SharedAlgorithm<A>) {
      return A{view, choice(), here};
    } else {
      return make<A>(view);
    }
  }
  typename OptionsOf<A>::Type choice() const {
    typename OptionsOf<A>::Type choice{};
    if constexpr (requires { choice.units; }) choice.units = options_.units;
    return choice;
  }
  std::uint32_t capacity() const {
    if constexpr (SharedAlgorithm<A>) return make<A>(View{}, choice()).capacity();
    return 1;
  }

  void be_reborn(std::uint32_t i) {
    Process<A>& p = processes[i];
    const bool same = options_.leaves_out(ViewRule::new_life);
    p.keeper = Keeper{same ? p.keeper.self() : life_of(i, p.lives)};
    ++p.lives;
    p.expired = false;
    forget_view(i);
  }
  void leave_ghost(std::uint32_t i) {
    Process<A>& p = processes[i];
    p.ghost = p.keeper.self();
    p.ghost_inside = p.client == Phase::inside;
    p.ghost_mode = p.held_mode;
  }
  void forget_view(std::uint32_t i) {
    Process<A>& p = processes[i];
    p.view = View{};
    p.lock.reset();
    p.entered.reset();
    p.owes_release = false;
    p.holders.clear();
    clear_links_to(i);
  }

  bool may_request(const Process<A>& p) const {
    return p.lock->phase() == Phase::idle && (p.keeper.standing() == Standing::running ||
                                              options_.leaves_out(ViewRule::entries_stop));
  }
  void request(std::uint32_t i) {
    Process<A>& p = processes[i];
    if constexpr (SharedAlgorithm<A>) {
      p.lock->request(p.mode, fx_);
    } else {
      p.lock->request(fx_);
    }
    settle(i);
  }
  // The client has left, or has been told that it is lost.
  void give_back(std::uint32_t i) {
    Process<A>& p = processes[i];
    if (p.keeper.is_leaving() && p.keeper.standing() != Standing::ended) p.keeper.drained();
    if (p.keeper.standing() == Standing::running) {
      if (p.lock->phase() != Phase::inside) {
        return fail("exclusion", "P{}'s client is inside, and its lock does not know", i);
      }
      p.lock->release(fx_);
      settle(i);
    } else {
      p.owes_release = !options_.leaves_out(ViewRule::release_remembered);
    }
  }

  // What a step of the algorithm left to do.
  void settle(std::uint32_t i) {
    Process<A>& p = processes[i];
    fx_.for_each_message(p.view.self, p.view.size, [&](NodeId to, const Message& message) {
      const Roll& roll = p.keeper.roll();
      if (number(to) >= roll.members.size()) return;  // Only if it kept the instance of a view.
      send(i, roll.members[number(to)],
           {p.view.epoch, p.view.self, p.keeper.self(), false, false, message});
    });
    const std::optional<Turn> entered = fx_.entered();
    if (fx_.rejected() != Reject::none) {
      fail("protocol", "P{} is sent what the algorithm does not allow", i);
    }
    fx_.clear();
    if (!entered) return;
    const bool is_leased = p.keeper.is_leased() || options_.leaves_out(ViewRule::lease_at_entry);
    const bool runs = p.keeper.standing() == Standing::running || keeps_instance();
    if (is_leased && runs && !p.keeper.is_leaving()) {
      grant(i, *entered);
    } else {
      p.entered = entered;
    }
  }

  void grant(std::uint32_t i, Turn turn) {
    Process<A>& p = processes[i];
    p.client = Phase::inside;
    p.fence = {options_.leaves_out(ViewRule::epoch_in_fence) ? Epoch{} : p.view.epoch, turn};
    p.held_mode = p.mode;
    if (p.expired) fail("lease", "P{} lets a client in after its lease is over", i);
    std::uint32_t beside = 0;
    const auto may_be_beside = [&](Mode other) {
      if (p.mode == Mode::exclusive || other == Mode::exclusive) return false;
      return ++beside < capacity();
    };
    for (std::uint32_t j = 0; j < n_; ++j) {
      const Process<A>& other = processes[j];
      const bool inside = j != i && other.client == Phase::inside && !other.expired;
      if ((inside && !may_be_beside(other.held_mode)) ||
          (j != i && other.ghost_inside && !may_be_beside(other.ghost_mode))) {
        fail("exclusion", "P{} enters while P{} is inside", i, j);
      }
    }
    if (p.ghost_inside && !may_be_beside(p.ghost_mode)) {
      fail("exclusion", "P{} enters while its former life is inside", i);
    }
    check_fence(i);
  }
  void check_fence(std::uint32_t i) {
    const Process<A>& p = processes[i];
    const bool alone = excludes_all(p.mode, capacity());
    // Nobody is ordered among several units: the last fence would only be more states.
    if (!alone && !kHasModes) return;
    if (p.fence <= (alone ? commons.last : commons.last_alone)) {
      fail("fences", "the fence of P{} is not the highest", i);
    }
    Commons& c = touch_commons();
    c.last = std::max(c.last, p.fence);
    if (kHasModes && alone) c.last_alone = p.fence;
  }

  // What has been sent to a life that is over never arrives. What would be dropped on arrival is
  // dropped at once: nobody can tell the difference.
  bool drops_at_once() const {
    return !options_.leaves_out(ViewRule::old_epoch_dropped) &&
           !options_.leaves_out(ViewRule::report_for_its_view) &&
           !options_.leaves_out(ViewRule::messages_stop);
  }
  void send(std::uint32_t i, Life to, Parcel<Message> parcel) {
    const std::uint32_t j = process_of(to);
    const Process<A>& other = processes[j];
    if (!other.alive || other.keeper.self() != to) return;
    if (drops_at_once() && parcel.epoch < epoch_of(j)) return;
    touch_link(i, j).push_back(std::move(parcel));
  }
  Epoch epoch_of(std::uint32_t i) const {
    const Standing standing = processes[i].keeper.standing();
    const bool has = standing == Standing::changing || standing == Standing::running;
    return has ? processes[i].keeper.roll().epoch : Epoch{};
  }
  void drop_what_is_old(std::uint32_t i) {
    if (!drops_at_once()) return;
    for (std::uint32_t from = 0; from < n_; ++from) {
      const auto is_old = [&](const auto& parcel) { return parcel.epoch < epoch_of(i); };
      const Link& parcels = link(from, i);
      if (std::none_of(parcels.begin(), parcels.end(), is_old)) continue;
      std::erase_if(touch_link(from, i), is_old);
    }
  }

  ViewCheckOptions options_;
  std::uint32_t n_;
  Effects<Message> fx_;
};

}  // namespace hapax
