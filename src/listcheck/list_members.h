// The processes of a fixed list under numbers, and what each does on each input: its member is the
// product's own (service/list_views.h), and so are its frames. Since they are deterministic, what a
// process in a given state does on a given input is computed once and looked up from then on. A
// rule is left out from outside: by withholding, forging or changing what a member is told.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/record.h"
#include "core/fence.h"
#include "core/instance.h"
#include "core/mutex_algorithm.h"
#include "listcheck/list_options.h"
#include "search/parts.h"
#include "service/list_views.h"
#include "service/orders.h"
#include "view/roll.h"
#include "viewcheck/view_options.h"
#include "wire/codec.h"

namespace hapax {

struct ListProcess {
  std::uint32_t member = 0;  // Its ListViews, by number. Means nothing while it is down.
  std::uint8_t self = 0;
  bool alive = true;
  Epoch written{};  // In its state file.
  Phase client = Phase::idle;
  std::uint8_t left = 0;  // How often it may still ask.
  std::uint8_t lives = 1;
  bool ghost_inside = false;  // The client of the life before has not noticed yet.
  HAPAX_RECORD(ListProcess, member, self, alive, written, client, left, lives, ghost_inside)
};

// What happens to a process.
struct ListInput {
  enum class Kind : std::uint8_t {
    ask,
    exit,
    write,
    meet,
    part,
    frame,
    crash,
    restart,
    restart_without_file,
    notice
  };
  Kind kind{};
  std::uint8_t peer = 0;    // Who is met, parted from, or has sent it.
  Life life{};              // Of the peer.
  std::uint32_t frame = 0;  // By number.
  HAPAX_RECORD(ListInput, kind, peer, life, frame)
  friend constexpr bool is_valid(Kind k) { return k <= Kind::notice; }
};

class ListMembers {
 public:
  struct Sent {
    Life to{};
    std::uint8_t place = 0;  // Of that life, in the list.
    std::uint32_t frame = 0;
    friend bool operator==(const Sent&, const Sent&) = default;
  };
  struct Outcome {
    std::uint32_t process = 0;  // As it is afterwards.
    std::vector<Sent> sends;
    std::optional<Fence> granted;
    std::optional<Roll> begun;
    std::string complaint;

    // Nobody else notices.
    bool is_silent() const { return sends.empty() && !granted && !begun && complaint.empty(); }
  };
  // What is often asked of a process.
  struct Face {
    bool alive, ghost_inside, may_ask, inside, waits, may_write;
    Life life;                           // Its own …
    std::array<Life, kMostInViews> met;  // … and whom it takes for the others; 0: not connected.
  };

  ListMembers(const Operations& algorithm, const ListCheckOptions& options);
  ListMembers(const ListMembers&) = delete;
  ListMembers& operator=(const ListMembers&) = delete;

  // The process as it is at first.
  std::uint32_t first(std::uint32_t i);
  const Face& face(std::uint32_t process) const { return faces_[process]; }
  std::uint32_t number_of(const ListInput& input);
  const ListInput& input(std::uint32_t number) const { return inputs_[number]; }
  const Bytes& frame(std::uint32_t number) const { return frames_[number]; }

  // REQUIRES: it can happen to a process in that state. Stays valid.
  const Outcome& react(std::uint32_t process, std::uint32_t input);

 private:
  class AllInside final : public Holders {
    bool is_inside(WaiterId) override { return true; }
  };

  bool leaves_out(ListRule rule) const { return options_.leaves_out(rule); }
  Life life_of(const ListProcess& p) const { return Life{p.self + options_.n * p.lives + 1}; }
  std::uint32_t born(const ListProcess& p);
  Outcome outcome_of(ListProcess p, const ListInput& input);
  void happen(ListProcess& p, const ListInput& input, ListViews& member);
  void forge_reports(ListViews& member);
  std::uint32_t number_of(const ListProcess& p);
  std::uint32_t number_of(const ListViews& member);
  std::uint32_t number_of_frame(std::span<const std::uint8_t> bytes);

  const Operations& algorithm_;
  ListCheckOptions options_;
  AllInside holders_;
  Parts<ListViews> members_;
  Parts<ListProcess> processes_;
  Parts<ListInput> inputs_;
  Parts<Bytes> frames_;
  std::vector<Face> faces_;  // By process.
  boost::unordered_flat_map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;
  std::deque<Outcome> outcomes_;
  ViewOrders orders_;
  Bytes key_;
};

}  // namespace hapax
