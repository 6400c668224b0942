#include "viewcheck/list_scene.h"

#include <algorithm>

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

ListScene::ListScene(const Operations& algorithm, const ListCheckOptions& options)
    : algorithm_(algorithm), options_(options) {
  processes.resize(options.n);
  links.resize(options.n * options.n);
  commons.restarts = static_cast<std::uint8_t>(options.restarts);
  commons.flaps = static_cast<std::uint8_t>(options.flaps);
  for (std::uint32_t i = 0; i < options.n; ++i) {
    processes[i].left = static_cast<std::uint8_t>(options.entries);
    processes[i].member = born(i);
  }
}

// A new process, which knows what is in its file.
std::uint32_t ListScene::born(std::uint32_t i) {
  const bool differs = leaves_out(ListRule::settings_compared) && i + 1 == options_.n;
  const std::string_view inside = differs ? "central" : algorithm_.info.name;
  const ListViews member{Policy::parse(std::string{inside}, {}).value(),
                         holders_,
                         NodeId{i},
                         life_of(i),
                         options_.n,
                         processes[i].written};
  return number_of(member);
}

// --- clients ---

bool ListScene::can_ask(std::uint32_t i) const {
  const ListProcess& p = processes[i];
  return p.alive && p.client == Phase::idle && p.left > 0;
}

void ListScene::ask(std::uint32_t i) {
  ListProcess& p = processes[i];
  --p.left;
  p.client = Phase::waiting;
  const WaiterId waiter{p.left};
  react(i, Input::Kind::acquire, p.left, 0, [&](ListViews& member, ViewOrders& orders) {
    HAPAX_CHECK(member.acquire(kLock, waiter, Want::exclusive, orders).has_value());
  });
}

void ListScene::exit(std::uint32_t i) {
  ListProcess& p = processes[i];
  p.client = Phase::idle;
  const WaiterId waiter{p.left};
  react(i, Input::Kind::release, p.left, 0, [&](ListViews& member, ViewOrders& orders) {
    HAPAX_CHECK(member.release(kLock, waiter, std::nullopt, orders).has_value());
  });
}

// --- agreeing ---

bool ListScene::can_write(std::uint32_t i) const {
  return processes[i].alive && member(i).list().wanted().has_value();
}

void ListScene::write(std::uint32_t i) {
  const Epoch epoch = member(i).list().wanted()->epoch;
  if (!leaves_out(ListRule::epoch_kept)) processes[i].written = epoch;
  react(i, Input::Kind::write, number(epoch), 0,
        [&](ListViews& member, ViewOrders& orders) { member.promised(epoch, orders); });
}

// Its links are open.
bool ListScene::takes_part(std::uint32_t i) const {
  const ListProcess& p = processes[i];
  return p.alive && (!p.ghost_inside || leaves_out(ListRule::clients_notice));
}

// Whom i takes for the life at j; 0: it is not connected.
Life ListScene::met_by(std::uint32_t i, std::uint32_t j) const {
  return member(i).list().life_at(NodeId{j});
}

bool ListScene::can_meet(std::uint32_t i, std::uint32_t j) const {
  return i != j && takes_part(i) && takes_part(j) && met_by(i, j) == Life{};
}

void ListScene::meet(std::uint32_t i, std::uint32_t j) {
  const Life life = life_of(j);
  react(i, Input::Kind::meet, j, number(life),
        [&](ListViews& member, ViewOrders& orders) { member.met(NodeId{j}, life, orders); });
}

// Who was met is gone.
bool ListScene::can_part(std::uint32_t i, std::uint32_t j) const {
  if (i == j || !processes[i].alive || met_by(i, j) == Life{}) return false;
  return !processes[j].alive || met_by(i, j) != life_of(j);
}

// What it has sent and was not heard is lost with the connection.
void ListScene::part(std::uint32_t i, std::uint32_t j) {
  const Life life = met_by(i, j);
  if (!leaves_out(ListRule::old_life_dropped)) {
    std::erase_if(links[j * options_.n + i],
                  [&](const ListParcel& parcel) { return parcel.from == life; });
  }
  react(i, Input::Kind::part, j, 0,
        [&](ListViews& member, ViewOrders&) { member.parted(NodeId{j}); });
}

bool ListScene::can_flap(std::uint32_t i, std::uint32_t j) const {
  return commons.flaps > 0 && i != j && processes[i].alive && processes[j].alive &&
         met_by(i, j) == life_of(j);
}

// The link resends what is missing: nothing is lost.
void ListScene::flap(std::uint32_t i, std::uint32_t j) {
  --commons.flaps;
  react(i, Input::Kind::part, j, 0,
        [&](ListViews& member, ViewOrders&) { member.parted(NodeId{j}); });
}

// --- frames ---

bool ListScene::can_deliver(std::uint32_t from, std::uint32_t i) const {
  const Link& link = links[from * options_.n + i];
  if (link.empty() || !processes[i].alive || met_by(i, from) == Life{}) return false;
  return link.front().from == met_by(i, from) || leaves_out(ListRule::old_life_dropped);
}

void ListScene::deliver(std::uint32_t from, std::uint32_t i) {
  Link& link = links[from * options_.n + i];
  const ListParcel parcel = link.front();
  link.erase(link.begin());
  const Life sender = met_by(i, from);
  react(i, Input::Kind::frame, parcel.frame, number(sender),
        [&](ListViews& member, ViewOrders& orders) {
          member.on_frame(sender, frame(parcel), orders);
        });
}

// --- lives ---

// What it has sent may still arrive at those that are connected to it, until they notice.
void ListScene::crash(std::uint32_t i) {
  ListProcess& p = processes[i];
  for (std::uint32_t j = 0; j < options_.n; ++j) {
    links[j * options_.n + i].clear();
    if (j != i && met_by(j, i) != life_of(i)) links[i * options_.n + j].clear();
  }
  --commons.restarts;
  p.alive = false;
  p.ghost_inside = p.ghost_inside || p.client == Phase::inside;
  p.client = Phase::idle;
}

void ListScene::restart(std::uint32_t i, bool file_is_gone) {
  ListProcess& p = processes[i];
  p.alive = true;
  ++p.lives;
  if (file_is_gone) p.written = {};
  p.member = born(i);
}

// --- what a member does ---

template <class Act>
void ListScene::react(std::uint32_t i, Input::Kind kind, std::uint64_t first, std::uint64_t second,
                      Act&& act) {
  const Input input{processes[i].member, kind, first, second};
  key_.clear();
  encode_to(key_, input);
  const std::uint32_t number = reactions_.number_of(text_of(key_), [&] {
    ListViews next = members_[input.member];
    orders_.clear();
    act(next, orders_);
    forge_reports(next, orders_);
    Reaction reaction;
    reaction.member = number_of(next);
    for (const ViewOrders::Send& send : orders_.sends) {
      const auto bytes = orders_.bytes(send);
      const bool says_nothing = leaves_out(ListRule::report);
      reaction.sends.emplace_back(
          send.to, number_of_frame(says_nothing ? without_what_is_held(bytes)
                                                : Bytes{bytes.begin(), bytes.end()}));
    }
    if (!orders_.grants.empty()) reaction.granted = orders_.grants.front().fence;
    reaction.begun = orders_.begun;
    if (!orders_.complaints.empty()) reaction.complaint = orders_.complaints.front().text;
    return reaction;
  });
  take(i, reactions_[number]);
}

// Where the barrier is left out: it hears at once that everybody else, or the last, holds nothing.
void ListScene::forge_reports(ListViews& member, ViewOrders& orders) const {
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
      member.on_frame(roll.members[j], report, orders);
    }
  }
}

void ListScene::take(std::uint32_t i, const Reaction& reaction) {
  processes[i].member = reaction.member;
  if (!reaction.complaint.empty() && !leaves_out(ListRule::settings_compared)) {
    failure = Failure{"protocol", fmt::format("P{} complains: {}", i + 1, reaction.complaint)};
  }
  for (const auto& [to, frame] : reaction.sends) {
    const auto j = static_cast<std::uint32_t>((number(to) - 1) % options_.n);
    if (processes[j].alive && life_of(j) == to) {
      links[i * options_.n + j].push_back({life_of(i), frame});
    }
  }
  if (reaction.begun) note_begin(i);
  if (reaction.granted) grant(i, *reaction.granted);
}

void ListScene::grant(std::uint32_t i, Fence fence) {
  processes[i].client = Phase::inside;
  for (std::uint32_t j = 0; j < options_.n; ++j) {
    if (j != i && processes[j].client == Phase::inside) {
      fail("exclusion", "P{} enters while P{} is inside", i, j);
    }
    if (processes[j].ghost_inside) {
      fail("exclusion", "P{} enters while a client of P{}'s last life is inside", i, j);
    }
  }
  if (fence <= commons.last) fail("fences", "the fence of P{} is not the highest", i);
  commons.last = std::max(commons.last, fence);
}

void ListScene::note_begin(std::uint32_t i) {
  const Roll& roll = member(i).views().keeper().roll();
  for (const auto& [epoch, meant] : commons.begun) {
    if (epoch != roll.epoch) continue;
    if (meant != roll) fail("epochs", "P{} begins an epoch that has another meaning", i);
    return;
  }
  commons.begun.emplace_back(roll.epoch, roll);
  std::sort(commons.begun.begin(), commons.begun.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

std::uint32_t ListScene::number_of(const ListViews& member) {
  Bytes key;
  member.encode_to(key);
  return members_.number_of(text_of(key), [&] { return member; });
}

std::uint32_t ListScene::number_of_frame(std::span<const std::uint8_t> bytes) {
  return frames_.number_of(text_of(bytes), [&] { return Bytes{bytes.begin(), bytes.end()}; });
}

}  // namespace hapax
