#include "listcheck/list_members.h"

#include "base/check.h"
#include "service/view_frame.h"

namespace hapax {
namespace {

constexpr const char* kLock = "lock";

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The same report of nothing held; what is no report as it is.
Bytes without_what_is_held(std::span<const std::uint8_t> bytes) {
  const auto frame = divide_view_frame(bytes);
  if (!frame->is_report) return {bytes.begin(), bytes.end()};
  ReportPart part = decode<ReportPart>(frame->rest).value();
  part.held.clear();
  Bytes changed;
  append_view_header(changed, tags::kReport, frame->epoch);
  encode_to(changed, part);
  return changed;
}

}  // namespace

ListMembers::ListMembers(const Operations& algorithm, const ListCheckOptions& options)
    : algorithm_(algorithm), options_(options) {}

std::uint32_t ListMembers::first(std::uint32_t i) {
  ListProcess p{.self = static_cast<std::uint8_t>(i),
                .left = static_cast<std::uint8_t>(options_.entries)};
  p.member = born(p);
  return number_of(p);
}

// A new life, which knows what is in its file.
std::uint32_t ListMembers::born(const ListProcess& p) {
  const bool differs = leaves_out(ListRule::settings_compared) && p.self + 1u == options_.n;
  const std::string_view inside = differs ? "central" : algorithm_.info.name;
  return number_of(ListViews{Policy::parse(std::string{inside}, {}).value(), holders_,
                             NodeId{p.self}, life_of(p), options_.n, p.written});
}

const ListMembers::Outcome& ListMembers::react(std::uint32_t process, std::uint32_t input) {
  const auto known = known_.find({process, input});
  if (known != known_.end()) return outcomes_[known->second];
  outcomes_.push_back(outcome_of(processes_[process], inputs_[input]));
  known_.emplace(std::pair{process, input}, static_cast<std::uint32_t>(outcomes_.size() - 1));
  return outcomes_.back();
}

ListMembers::Outcome ListMembers::outcome_of(ListProcess p, const ListInput& input) {
  using Kind = ListInput::Kind;
  Outcome outcome;
  orders_.clear();
  switch (input.kind) {
    case Kind::crash:
      p.alive = false;
      p.ghost_inside = p.ghost_inside || p.client == Phase::inside;
      p.client = Phase::idle;
      p.member = 0;
      break;
    case Kind::restart:
    case Kind::restart_without_file:
      p.alive = true;
      ++p.lives;
      if (input.kind == Kind::restart_without_file) p.written = {};
      p.member = born(p);
      break;
    case Kind::notice:
      p.ghost_inside = false;
      break;
    default: {
      ListViews member = members_[p.member];
      happen(p, input, member);
      forge_reports(member);
      p.member = number_of(member);
      if (orders_.begun) outcome.begun = member.views().keeper().roll();
    }
  }
  for (const ViewOrders::Send& send : orders_.sends) {
    const auto bytes = orders_.bytes(send);
    const auto place = static_cast<std::uint8_t>((number(send.to) - 1) % options_.n);
    outcome.sends.push_back({send.to, place,
                             leaves_out(ListRule::report)
                                 ? number_of_frame(without_what_is_held(bytes))
                                 : number_of_frame(bytes)});
  }
  if (!orders_.grants.empty()) {
    outcome.granted = orders_.grants.front().fence;
    p.client = Phase::inside;
  }
  if (!orders_.complaints.empty()) outcome.complaint = orders_.complaints.front().text;
  outcome.process = number_of(p);
  return outcome;
}

// To the member, and to what its driver keeps for it.
void ListMembers::happen(ListProcess& p, const ListInput& input, ListViews& member) {
  using Kind = ListInput::Kind;
  switch (input.kind) {
    case Kind::ask:
      --p.left;
      p.client = Phase::waiting;
      HAPAX_CHECK(member.acquire(kLock, WaiterId{p.left}, Want::exclusive, orders_).has_value());
      return;
    case Kind::exit:
      p.client = Phase::idle;
      HAPAX_CHECK(member.release(kLock, WaiterId{p.left}, std::nullopt, orders_).has_value());
      return;
    case Kind::write: {
      const Epoch epoch = member.list().wanted()->epoch;
      if (!leaves_out(ListRule::epoch_kept)) p.written = epoch;
      return member.promised(epoch, orders_);
    }
    case Kind::meet:
      return member.met(NodeId{input.peer}, input.life, orders_);
    case Kind::part:
      return member.parted(NodeId{input.peer});
    case Kind::frame:
      return member.on_frame(input.life, frames_[input.frame], orders_);
    default:
      HAPAX_CHECK(false);
  }
}

// Where the barrier is left out: it hears at once that everybody else, or the last, holds nothing.
void ListMembers::forge_reports(ListViews& member) {
  const Keeper& keeper = member.views().keeper();
  const bool all = leaves_out(ListRule::barrier);
  if (!all && !leaves_out(ListRule::all_agree)) return;
  if (keeper.standing() != Standing::changing) return;
  const Roll roll = keeper.roll();
  Bytes report;
  append_view_header(report, tags::kReport, roll.epoch);
  encode_to(report, ReportPart{roll.members, {}, true});
  for (std::uint32_t j = 0; j < options_.n; ++j) {
    const bool is_forged = roll.members[j] != keeper.self() && (all || j + 1 == options_.n);
    if (is_forged && keeper.standing() == Standing::changing) {
      member.on_frame(roll.members[j], report, orders_);
    }
  }
}

// --- numbers ---

std::uint32_t ListMembers::number_of(const ListProcess& p) {
  key_.clear();
  encode_to(key_, p);
  const std::uint32_t number = processes_.number_of(text_of(key_), [&] { return p; });
  if (number == faces_.size()) {
    Face face{p.alive,
              p.ghost_inside,
              p.alive && p.client == Phase::idle && p.left > 0,
              p.alive && p.client == Phase::inside,
              p.alive && p.client == Phase::waiting,
              p.alive && members_[p.member].list().wanted().has_value(),
              life_of(p),
              {}};
    for (std::uint32_t j = 0; j < options_.n && p.alive; ++j) {
      face.met[j] = members_[p.member].list().life_at(NodeId{j});
    }
    faces_.push_back(face);
  }
  return number;
}

std::uint32_t ListMembers::number_of(const ListInput& input) {
  key_.clear();
  encode_to(key_, input);
  return inputs_.number_of(text_of(key_), [&] { return input; });
}

std::uint32_t ListMembers::number_of(const ListViews& member) {
  key_.clear();
  member.encode_to(key_);
  return members_.number_of(text_of(key_), [&] { return member; });
}

std::uint32_t ListMembers::number_of_frame(std::span<const std::uint8_t> bytes) {
  return frames_.number_of(text_of(bytes), [&] { return Bytes{bytes.begin(), bytes.end()}; });
}

}  // namespace hapax
