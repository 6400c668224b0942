#include "locks/instances.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "catalog/catalog.h"
#include "locks/lock_payload.h"

namespace hapax {

Instances::Instances(const Membership& membership, const Policy& policy, LockStats& stats)
    : membership_(membership), stats_(stats) {
  std::vector<std::optional<VotingSets>> all;
  for (const Policy::SetsOf& named : policy.voting_sets()) {
    auto sets = find_algorithm(named.algorithm)->info.voting_sets(named.text, membership.size);
    const bool fits = sets.has_value() && sets->processes() == membership.size;
    all.push_back(fits ? std::optional{std::move(*sets)} : std::nullopt);
  }
  sets_ = std::make_shared<const std::vector<std::optional<VotingSets>>>(std::move(all));
}

Instance Instances::make(const LockKind& kind, const View& view, const MutexChoices& choices) {
  const Operations* algorithm = find_algorithm(kind.algorithm);
  HAPAX_CHECK(algorithm != nullptr);
  return Instance{*algorithm, view, choices};
}

bool Instances::forget_if_like_new(const Instance& instance, const View& view,
                                   const MutexChoices& choices) {
  const std::uint64_t counter = instance.counter();
  if (counter > std::uint64_t{1} << instance.info().counter_bits) return false;
  if (!instance.is_like_new(view, choices)) return false;
  std::uint64_t& floor = floors_[place_of(instance)];
  floor = std::max(floor, counter);
  return true;
}

void Instances::encode_floors_to(Bytes& bytes) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> raised;
  for (std::size_t i = 0; i < floors_.size(); ++i) {
    if (floors_[i] != 0) raised.emplace_back(i, floors_[i]);
  }
  encode_to(bytes, raised);
}

void Instances::post(const InstanceEffects::Send& send, const Instance& instance,
                     const LockKind& kind, std::string_view name, Outbox& out) {
  const std::size_t first = out.arena().size();
  append_header(out.arena(), instance.info().id, false, name);
  // Members must agree on the number of units, so each message says it.
  if (instance.info().takes.units) encode_to(out.arena(), kind.units);
  const auto bytes = fx_.bytes(send);
  out.arena().insert(out.arena().end(), bytes.begin(), bytes.end());
  LockStats::PerAlgorithm& count = counts(instance);
  fx_.for_each_receiver(send, membership_.self, membership_.size, [&](NodeId receiver) {
    HAPAX_CHECK(receiver != membership_.self);
    out.send(receiver, first);
    ++count.sent;
  });
}

void Instances::post_wake(const Instance& instance, std::string_view name, NodeId home,
                          Outbox& out) {
  const std::size_t first = out.arena().size();
  append_header(out.arena(), instance.info().id, true, name);
  out.send(home, first);
  ++counts(instance).sent;
}

void Instances::complain_if_rejected(NodeId from, const Instance& instance, std::string_view name,
                                     Outbox& out) const {
  if (fx_.rejected() == Reject::none) return;
  out.complain(
      {from, Outbox::Complaint::Kind::broken_protocol, fx_.rejected(),
       fmt::format("{} refuses a {} for {}", instance.info().name, name_of(fx_.rejected()), name)});
}

}  // namespace hapax
