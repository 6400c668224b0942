#include "listcheck/list_model.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace hapax {

ListModel::ListModel(const Operations& algorithm, const ListCheckOptions& options)
    : options_(options), n_(options.n), members_(algorithm, options) {}

// --- rows ---

void ListModel::initial(std::uint64_t* row) {
  Row first{};
  for (std::uint32_t i = 0; i < n_; ++i) first[i] = members_.first(i);
  first[commons()] = number_of({.restarts = static_cast<std::uint8_t>(options_.restarts),
                                .flaps = static_cast<std::uint8_t>(options_.flaps)});
  std::memcpy(row, first.data(), width() * sizeof *row);
}

void ListModel::read(const std::uint64_t* row) {
  std::memcpy(now_.data(), row, width() * sizeof *row);
}

std::uint32_t ListModel::number_of(const ListCommons& common) {
  key_.clear();
  encode_to(key_, common);
  const std::string_view key{reinterpret_cast<const char*>(key_.data()), key_.size()};
  return commons_.number_of(key, [&] { return common; });
}

// --- what can happen ---

void ListModel::expand(const std::uint64_t* row, Steps& steps) {
  read(row);
  for (std::uint32_t i = 0; i < n_; ++i) {
    for (const Kind kind : {Kind::notice, Kind::restart, Kind::restart_without_file, Kind::ask,
                            Kind::exit, Kind::write, Kind::crash}) {
      take_if_possible(steps, kind, i);
    }
    for (std::uint32_t j = 0; j < n_ && face(i).alive; ++j) {
      for (const Kind kind : {Kind::meet, Kind::part, Kind::flap, Kind::deliver}) {
        if (j != i) take_if_possible(steps, kind, i, j);
      }
    }
  }
}

// Its links are open.
bool ListModel::takes_part(std::uint32_t i) const {
  return face(i).alive && (!face(i).ghost_inside || lacks(ListRule::clients_notice));
}

// Who was met is gone.
bool ListModel::can_part(std::uint32_t i, std::uint32_t j) const {
  const Life met = face(i).met[j];
  return met != Life{} && (!face(j).alive || met != face(j).life);
}

bool ListModel::can_deliver(std::uint32_t from, std::uint32_t i) const {
  const std::uint32_t content = now_[link(from, i)];
  if (content == 0 || face(i).met[from] == Life{}) return false;
  return links_.front(content).from == face(i).met[from] || lacks(ListRule::old_life_dropped);
}

// What happens to i, with j at the other end if the step has one.
std::optional<ListModel::Step> ListModel::step_if_possible(Kind kind, std::uint32_t i,
                                                           std::uint32_t j) const {
  const ListMembers::Face& p = face(i);
  const ListCommons& common = commons_[now_[commons()]];
  const auto step = [&](bool can, ListInput::Kind what, bool has_peer = false,
                        Life life = Life{}) -> std::optional<Step> {
    if (!can) return std::nullopt;
    const auto to = static_cast<std::uint8_t>(has_peer ? j : 0);
    return Step{{static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(i), to, 0},
                i,
                {what, to, life, 0}};
  };
  using What = ListInput::Kind;
  switch (kind) {
    case Kind::notice:
      return step(p.ghost_inside, What::notice);
    case Kind::restart:
      return step(!p.alive, What::restart);
    case Kind::restart_without_file:
      return step(!p.alive && options_.files_may_go, What::restart_without_file);
    case Kind::ask:
      return step(p.may_ask, What::ask);
    case Kind::exit:
      return step(p.inside, What::exit);
    case Kind::write:
      return step(p.may_write, What::write);
    case Kind::crash:
      return step(p.alive && common.restarts > 0, What::crash);
    case Kind::meet:
      return step(takes_part(i) && takes_part(j) && p.met[j] == Life{}, What::meet, true,
                  face(j).life);
    case Kind::part:
      return step(can_part(i, j), What::part, true, p.met[j]);
    case Kind::flap:
      return step(common.flaps > 0 && face(j).alive && p.met[j] == face(j).life, What::part, true,
                  p.met[j]);
    case Kind::deliver: {
      auto delivery = step(can_deliver(j, i), What::frame, true, p.met[j]);
      if (!delivery) return std::nullopt;
      const std::uint32_t content = now_[link(j, i)];
      delivery->input.frame = links_.front(content).frame;
      delivery->label = {static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(j),
                         static_cast<std::uint8_t>(i), content};
      return delivery;
    }
  }
  return std::nullopt;
}

void ListModel::take_if_possible(Steps& steps, Kind kind, std::uint32_t i, std::uint32_t j) {
  if (const auto step = step_if_possible(kind, i, j)) take(*step, steps);
}

void ListModel::take(const Step& step, Steps& steps) {
  const std::uint32_t input = members_.number_of(step.input);
  const ListMembers::Outcome& outcome = members_.react(now_[step.i], input);
  Row next = now_;
  lose(next, step);
  next[step.i] = outcome.process;
  for (const ListMembers::Sent& sent : outcome.sends) {
    if (!face(sent.place).alive || face(sent.place).life != sent.to) continue;
    std::uint32_t& content = next[link(step.i, sent.place)];
    content = links_.with(content, {face(step.i).life, sent.frame});
  }
  if (!check(next, step, outcome, steps)) return;
  std::array<std::uint64_t, (kMostParts + 1) / 2> row{};
  std::memcpy(row.data(), next.data(), width() * sizeof row[0]);
  steps.add(step.label, row.data());
}

// What the step takes from links, or makes of them.
void ListModel::lose(Row& next, const Step& step) {
  const std::uint32_t i = step.i;
  const std::uint32_t peer = step.input.peer;
  switch (static_cast<Kind>(step.label.kind)) {
    case Kind::deliver:
      next[link(peer, i)] = links_.rest(next[link(peer, i)]);
      return;
    case Kind::part:
      // What it has sent and was not heard is lost with the connection.
      if (lacks(ListRule::old_life_dropped)) return;
      next[link(peer, i)] = links_.without(next[link(peer, i)], step.input.life);
      return;
    case Kind::crash:
      // What it has sent may still arrive at those that are connected to it, until they notice.
      for (std::uint32_t j = 0; j < n_; ++j) {
        if (j == i) continue;
        next[link(j, i)] = 0;
        if (face(j).met[i] != face(i).life) next[link(i, j)] = 0;
      }
      return;
    default:  // A link that flaps resends what is missing: nothing is lost.
      return;
  }
}

// --- what must hold ---

bool ListModel::check(Row& next, const Step& step, const ListMembers::Outcome& outcome,
                      Steps& steps) {
  const auto kind = static_cast<Kind>(step.label.kind);
  const bool spends = kind == Kind::crash || kind == Kind::flap;
  if (outcome.is_silent() && !spends) return true;
  const std::uint32_t i = step.i;
  const auto fail = [&](const char* property, std::string text) {
    steps.fail(step.label, property, std::move(text));
    return false;
  };
  if (!outcome.complaint.empty() && !lacks(ListRule::settings_compared)) {
    return fail("protocol", fmt::format("P{} complains: {}", i + 1, outcome.complaint));
  }
  if (!spends && !outcome.begun && !outcome.granted) return true;
  ListCommons common = commons_[now_[commons()]];
  if (kind == Kind::crash) --common.restarts;
  if (kind == Kind::flap) --common.flaps;
  if (outcome.begun && !note_begin(common, *outcome.begun)) {
    return fail("epochs", fmt::format("P{} begins an epoch that has another meaning", i + 1));
  }
  if (outcome.granted) {
    steps.enter(i);
    for (std::uint32_t j = 0; j < n_; ++j) {
      if (j != i && face(j).inside) {
        return fail("exclusion", fmt::format("P{} enters while P{} is inside", i + 1, j + 1));
      }
      if (face(j).ghost_inside) {
        return fail(
            "exclusion",
            fmt::format("P{} enters while a client of P{}'s last life is inside", i + 1, j + 1));
      }
    }
    if (*outcome.granted <= common.last) {
      return fail("fences", fmt::format("the fence of P{} is not the highest", i + 1));
    }
    common.last = *outcome.granted;
  }
  next[commons()] = number_of(common);
  return true;
}

// False if the epoch has had another meaning.
bool ListModel::note_begin(ListCommons& common, const Roll& roll) {
  for (const auto& [epoch, meant] : common.begun) {
    if (epoch == roll.epoch) return meant == roll;
  }
  common.begun.emplace_back(roll.epoch, roll);
  std::sort(common.begun.begin(), common.begun.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return true;
}

std::uint64_t ListModel::waits(const std::uint64_t* row) const {
  std::uint64_t waiting = 0;
  for (std::uint32_t i = 0; i < n_; ++i) {
    std::uint32_t process;
    std::memcpy(&process, reinterpret_cast<const char*>(row) + i * sizeof process, sizeof process);
    if (members_.face(process).waits) waiting |= std::uint64_t{1} << i;
  }
  return waiting;
}

std::string ListModel::dead_end(const std::uint64_t* row) const {
  return fmt::format("P{} waits for ever although all are back", std::countr_zero(waits(row)) + 1);
}

std::optional<std::uint32_t> ListModel::fair_class(const SearchStep& step) const {
  if (static_cast<Kind>(step.kind) >= Kind::ask) return std::nullopt;
  const std::uint32_t pair = step.from * n_ + step.to;
  if (static_cast<Kind>(step.kind) <= Kind::part) return step.kind * n_ * n_ + pair;
  return 3 * n_ * n_ + (step.kind - 3u) * n_ + step.from;
}

}  // namespace hapax
