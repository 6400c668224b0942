// What the clients of a group can do that changes its views: ask, enter, read and write behind the
// gate, leave; and take again by themselves what has stayed with them.
#pragma once

#include <cstdint>

#include "viewcheck/view_stage.h"

namespace hapax {

class ViewClients : public ViewStage {
 public:
  // Of the client of process i, which is alive and not late unless said otherwise.
  bool can_ask(std::uint32_t i) const;
  void ask(std::uint32_t i, Mode mode);
  bool can_exit(std::uint32_t i) const;
  void exit(std::uint32_t i);
  // By the word, without asking. Late or not, alive or not: only its client is needed for that.
  bool can_enter_again(std::uint32_t i) const;
  void enter_again(std::uint32_t i);
  // Late or not.
  bool can_hear(std::uint32_t i) const { return processes[i].gives_back; }
  void hear(std::uint32_t i) { give_back_what_is_known(i); }
  bool can_die(std::uint32_t i) const { return processes[i].is_by_word(); }
  void die(std::uint32_t i) { give_back_what_is_known(i); }
  bool can_read(std::uint32_t i) const;
  void read(std::uint32_t i);
  // Late or not, alive or not: a client that sleeps may wake up here.
  bool can_write(std::uint32_t i) const { return processes[i].pen.has_value(); }
  void write(std::uint32_t i);

 protected:
  using ViewStage::ViewStage;

 private:
  void give_back_what_is_known(std::uint32_t i);
  void leave_by_word(std::uint32_t i, bool may_keep = true);
};

}  // namespace hapax
