#include "viewcheck/view_model.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "wire/codec.h"

namespace hapax {
namespace {

SearchStep step_of(ViewStep kind, std::uint32_t from, std::uint32_t to = 0,
                   std::uint32_t link = 0) {
  return {static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(from),
          static_cast<std::uint8_t>(to), link};
}
ViewStep kind_of(const SearchStep& step) { return static_cast<ViewStep>(step.kind); }

template <class F>
void for_each_bit(std::uint64_t bits, F&& f) {
  for (; bits != 0; bits &= bits - 1) f(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

}  // namespace

ViewModel::ViewModel(const Operations& algorithm, const ViewCheckOptions& options)
    : algorithm_(algorithm),
      options_(options),
      n_(options.n),
      scene_(algorithm, options),
      now_(parts()),
      next_(parts()) {
  for (std::uint32_t i = 0; i < n_; ++i) now_[i] = number_of(scene_.processes[i]);
  for (std::uint32_t l = 0; l < n_ * n_; ++l) now_[n_ + l] = number_of_link(scene_.links[l]);
  now_.back() = number_of(scene_.commons);
  first_ = now_;
}

void ViewModel::expand(const std::uint64_t* row, Steps& steps) {
  std::memcpy(now_.data(), row, now_.size() * sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < n_; ++i) scene_.processes[i] = processes_[now_[i]];
  for (std::uint32_t l = 0; l < n_ * n_; ++l) scene_.links[l] = links_[now_[n_ + l]];
  scene_.commons = commons_[now_.back()];
  for (std::uint32_t i = 0; i < n_; ++i) expand_process(steps, i);
  expand_engine(steps);
}

std::uint64_t ViewModel::waits(const std::uint64_t* row) const {
  std::uint64_t waiting = 0;
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (process_at(row, i).alive && process_at(row, i).client == Phase::waiting) {
      waiting |= std::uint64_t{1} << i;
    }
  }
  return waiting;
}

std::string ViewModel::dead_end(const std::uint64_t* row) const {
  return fmt::format("P{} waits for ever", std::countr_zero(waits(row)) + 1);
}

std::optional<std::uint32_t> ViewModel::fair_class(const SearchStep& step) const {
  if (kind_of(step) >= ViewStep::ask) return std::nullopt;
  // Links first, then a few kinds a process.
  if (kind_of(step) == ViewStep::deliver) return step.from * n_ + step.to;
  return n_ * n_ + std::uint32_t{step.kind} * n_ + step.from;
}

std::vector<std::string> ViewModel::tell(const std::vector<SearchStep>& way) {
  std::vector<std::string> lines;
  for (const SearchStep& step : way) lines.push_back(tell(step));
  return lines;
}

void ViewModel::pack(const std::vector<std::uint32_t>& from, std::uint64_t* row) const {
  row[width() - 1] = 0;
  std::memcpy(row, from.data(), from.size() * sizeof(std::uint32_t));
}

const Process& ViewModel::process_at(const std::uint64_t* row, std::uint32_t i) const {
  std::uint32_t number;
  std::memcpy(&number, reinterpret_cast<const char*>(row) + i * sizeof number, sizeof number);
  return processes_[number];
}

void ViewModel::expand_process(Steps& steps, std::uint32_t i) {
  const Process& p = scene_.processes[i];
  const Keeper& keeper = scene_.keeper(i);
  const bool may_fail = scene_.commons.faults > 0;
  const auto take = [&](bool can, ViewStep kind, auto&& act) {
    if (can) step(steps, step_of(kind, i), act);
  };
  const auto fault = [&](bool can, ViewStep kind, auto&& act) {
    take(can && may_fail, kind, [&] {
      scene_.spend();
      act();
    });
  };
  take(scene_.can_write(i), ViewStep::write, [&] { scene_.write(i); });
  take(p.ghost.has_value(), ViewStep::expire_ghost, [&] { scene_.expire_ghost(i); });
  take(scene_.can_enter_again(i), ViewStep::enter_again, [&] { scene_.enter_again(i); });
  if (!p.alive) {
    take(scene_.can_expire(i) && !options_.leaves_out(ViewRule::loop_beats), ViewStep::expire,
         [&] { scene_.expire(i); });
    fault(options_.restart, ViewStep::restart, [&] { scene_.restart(i); });
    return;
  }
  take(scene_.can_hear(i), ViewStep::hear, [&] { scene_.hear(i); });
  fault(options_.death && scene_.can_die(i), ViewStep::die, [&] { scene_.die(i); });
  if (scene_.is_late(i)) return take(true, ViewStep::wake, [&] { scene_.wake(i); });

  take(scene_.has_modes() && scene_.can_ask(i), ViewStep::ask_to_share,
       [&] { scene_.ask(i, Mode::shared); });
  take(scene_.can_ask(i), ViewStep::ask, [&] { scene_.ask(i, scene_.first_mode()); });
  take(scene_.can_exit(i), ViewStep::exit, [&] { scene_.exit(i); });
  take(scene_.can_read(i), ViewStep::read, [&] { scene_.read(i); });
  take(scene_.can_learn(i), ViewStep::learn, [&] { scene_.learn(i); });
  take(scene_.can_propose(i), ViewStep::propose, [&] { scene_.propose(i); });
  take(scene_.can_beat(i), ViewStep::beat, [&] { scene_.beat(i); });
  const bool joins = p.lives == 1;
  take(scene_.can_announce(i), joins ? ViewStep::join : ViewStep::rejoin,
       [&] { scene_.announce(i); });
  take(scene_.can_commit(i), ViewStep::commit, [&] { scene_.commit(i, true, true); });
  fault(options_.lost_answer && scene_.can_commit(i), ViewStep::answer_lost,
        [&] { scene_.commit(i, false, true); });
  fault(options_.lost_answer && scene_.can_commit(i), ViewStep::commit_lost,
        [&] { scene_.commit(i, false, false); });
  take(options_.leaves_out(ViewRule::instance_kept) && scene_.can_forget(i), ViewStep::forget,
       [&] { scene_.forget(i); });

  take(options_.leaves_out(ViewRule::settings_by_view) && scene_.can_follow(i), ViewStep::follow,
       [&] { scene_.follow(i); });

  fault(options_.pause && scene_.can_expire(i), ViewStep::pause, [&] { scene_.expire(i); });
  const bool is_in = keeper.standing() != Standing::outside && !p.gone;
  fault(options_.crash && is_in, ViewStep::crash, [&] { scene_.crash(i); });
  fault(options_.leave && scene_.can_leave(i), ViewStep::leave, [&] { scene_.leave(i); });
  fault(options_.evict && scene_.can_be_evicted(i), ViewStep::evict, [&] { scene_.evict(i); });
  fault(options_.deletion && scene_.can_be_deleted(i), ViewStep::deletion,
        [&] { scene_.delete_record(i); });
  // It has stopped beating.
  take(keeper.is_leaving() && scene_.can_expire(i), ViewStep::expire, [&] { scene_.expire(i); });
  const bool is_member =
      keeper.standing() == Standing::running || keeper.standing() == Standing::changing;
  fault(options_.cut && is_member && !keeper.is_leaving(), ViewStep::give_way,
        [&] { scene_.give_way(i); });
  for (std::uint32_t from = 0; from < n_; ++from) {
    if (from != i && scene_.can_deliver(from, i)) expand_link(steps, from, i);
  }
}

void ViewModel::expand_engine(Steps& steps) {
  const auto fault = [&](bool can, ViewStep kind, auto&& act) {
    if (!can || scene_.commons.faults == 0) return;
    step(steps, step_of(kind, 0), [&] {
      scene_.spend();
      act();
    });
  };
  fault(options_.wiped, ViewStep::wiped, [&] { scene_.wipe(); });
  fault(options_.restored && scene_.can_be_restored(), ViewStep::restored,
        [&] { scene_.restore(); });
  fault(options_.settings && scene_.can_set(), ViewStep::set, [&] { scene_.set(); });
}

void ViewModel::expand_link(Steps& steps, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t contents = now_[n_ + from * n_ + to];
  const bool may_fail = scene_.commons.faults > 0;
  step(steps, step_of(ViewStep::deliver, from, to, contents), [&] { scene_.deliver(from, to); });
  if (may_fail && options_.leaves_out(ViewRule::sent_once)) {
    step(steps, step_of(ViewStep::deliver_twice, from, to, contents), [&] {
      scene_.spend();
      scene_.deliver(from, to, true);
    });
  }
  if (may_fail && options_.leaves_out(ViewRule::sent_at_least_once)) {
    step(steps, step_of(ViewStep::lose, from, to, contents), [&] {
      scene_.spend();
      scene_.lose(from, to);
    });
  }
}

void ViewModel::step(Steps& steps, const SearchStep& step, const std::function<void()>& act) {
  scene_.touched_processes = scene_.touched_links = 0;
  scene_.touched_commons = false;
  scene_.failure.reset();
  const std::uint64_t entered_before = insiders();
  act();
  for (std::uint64_t fresh = insiders() & ~entered_before; fresh != 0; fresh &= fresh - 1) {
    steps.enter(static_cast<std::uint32_t>(std::countr_zero(fresh)));
  }
  if (scene_.failure) {
    steps.fail(step, scene_.failure->property, scene_.failure->text);
    next_ = now_;
  } else {
    number_what_changed();
  }
  put_back();
  if (scene_.failure) return;
  packed_.resize(width());
  pack(next_, packed_.data());
  steps.add(step, packed_.data());
}

std::uint64_t ViewModel::insiders() const {
  std::uint64_t inside = 0;
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (scene_.processes[i].client == Phase::inside) inside |= std::uint64_t{1} << i;
  }
  return inside;
}

void ViewModel::number_what_changed() {
  next_ = now_;
  for_each_bit(scene_.touched_processes,
               [&](std::uint32_t i) { next_[i] = number_of(scene_.processes[i]); });
  for_each_bit(scene_.touched_links,
               [&](std::uint32_t l) { next_[n_ + l] = number_of_link(scene_.links[l]); });
  if (scene_.touched_commons) next_.back() = number_of(scene_.commons);
}

void ViewModel::put_back() {
  for_each_bit(scene_.touched_processes,
               [&](std::uint32_t i) { scene_.processes[i] = processes_[now_[i]]; });
  for_each_bit(scene_.touched_links,
               [&](std::uint32_t l) { scene_.links[l] = links_[now_[n_ + l]]; });
  if (scene_.touched_commons) scene_.commons = commons_[now_.back()];
}

std::uint32_t ViewModel::number_of(const Process& process) {
  key_.clear();
  encode_to(key_, process);
  return processes_.number_of(key(), [&] { return process; });
}

std::uint32_t ViewModel::number_of(const Commons& commons) {
  key_.clear();
  encode_to(key_, commons);
  return commons_.number_of(key(), [&] { return commons; });
}

std::uint32_t ViewModel::number_of_link(const ViewScene::Link& link) {
  key_.clear();
  for (const Parcel& parcel : link) encode_to(key_, parcel);
  return links_.number_of(key(), [&] { return link; });
}

}  // namespace hapax
