// One instance of any election algorithm, driven without knowing which it is: inputs in, encoded
// messages out. Elections are rare, so this is plain rather than fast.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "campaigns/election_id.h"
#include "core/election_algorithm.h"
#include "election/catalog.h"
#include "wire/codec.h"

namespace hapax {

namespace elector_detail {
template <class List>
struct Sum;
template <class... As>
struct Sum<std::tuple<As...>> {
  using Election = std::variant<As...>;
  static_assert(sizeof...(As) == kElections);
};
}  // namespace elector_detail

class Elector {
 public:
  struct Mail {
    NodeId to{};
    Bytes message;
  };
  enum class Verdict : std::uint8_t {
    fine,
    malformed,  // Bytes that no member writes.
    refused     // What the algorithm refuses, or a term that nobody can have reached by counting.
  };

  // REQUIRES: is_valid(which), self < size.
  Elector(ElectionId which, std::uint32_t size, NodeId self);

  // As in core/election_algorithm.h; what is to be sent is appended to `out`.
  void campaign(std::vector<Mail>& out);
  void suspect(NodeId peer, std::vector<Mail>& out);
  void restore(NodeId peer, std::vector<Mail>& out);
  Verdict receive(NodeId from, std::span<const std::uint8_t> message, std::vector<Mail>& out);

  ElectionId which() const { return ElectionId{static_cast<std::uint8_t>(election_.index())}; }
  std::optional<NodeId> leader() const;
  Term term() const;
  bool is_open() const;

 private:
  using AnyElection = elector_detail::Sum<ElectionAlgorithms>::Election;

  static AnyElection start(ElectionId which, std::uint32_t size, NodeId self);
  template <class Input>
  Reject step(std::vector<Mail>& out, Input&& input);

  std::uint32_t size_;
  NodeId self_;
  AnyElection election_;
};

}  // namespace hapax
