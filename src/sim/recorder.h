// Records a simulated run as a trace: the commands with which the trace player takes the same steps
// in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/id_set.h"
#include "base/ids.h"
#include "wire/codec.h"
#include "world/script.h"

namespace hapax {

class SimRecorder {
 public:
  static constexpr std::size_t kMostSteps = 2000;

  // `nodes` is the first command of the trace, `header` what its reader is told before that.
  // Processes are called P0, P1, ….
  SimRecorder(std::string nodes, std::vector<std::string> header);

  void start(Nanos at) { add(at, "start"); }
  void request(Nanos at, NodeId node);
  void request_shared(Nanos at, NodeId node);
  void leave(Nanos at, NodeId node);
  void crash(Nanos at, NodeId node);
  // A message is identified by its encoding: of equal ones on a link, any will do.
  void receive(Nanos at, NodeId from, NodeId to, const Bytes& message);
  // By the step that was recorded last; `copies` arrive: 0 if it is lost.
  void sent(NodeId from, NodeId to, Bytes message, std::uint32_t copies);

  // The trace so far, its outcomes still empty.
  Script script();

 private:
  struct Sent {
    NodeId from{};
    NodeId to{};
    Bytes message;
    std::uint32_t copies = 0;
  };

  bool is_full() const { return steps_ >= kMostSteps; }
  void add(Nanos at, std::string command);
  void tell_fates();

  Script script_;
  std::size_t steps_ = 0;
  Nanos now_ = 0;
  bool went_on_ = false;  // There was more than fits.
  NodeSet crashed_;
  std::vector<Sent> fresh_;  // What the last step has sent; its fate is told after the step.
  std::map<std::pair<NodeId, NodeId>, std::vector<Bytes>>
      links_;  // Under way, as the player has it.
};

}  // namespace hapax
