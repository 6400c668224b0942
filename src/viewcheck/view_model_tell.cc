// The steps of the view change, in words.
#include <fmt/format.h>

#include "catalog/catalog.h"
#include "core/instance.h"
#include "locks/lock_payload.h"
#include "service/view_frame.h"
#include "viewcheck/view_model.h"

namespace hapax {

// The first of those that are under way.
std::string ViewModel::tell_frame(std::uint32_t link) const {
  const ViewFrame frame = *divide_view_frame(scene_.frame(links_[link].front()));
  if (frame.is_report) {
    const bool held = !decode<ReportPart>(frame.rest)->held.empty();
    return fmt::format("its report, {}held of view {}", held ? "" : "not ", frame.epoch);
  }
  const LockPayload payload = *divide_payload(frame.rest);
  auto message = payload.message;
  if (algorithm_.info.takes.units) {
    Decoder decoder{message};
    std::uint32_t units = 0;
    if (decoder.read(units)) message = decoder.rest();
  }
  // Not always the first one's: another may have been set.
  const Operations& algorithm = *find_algorithm(AlgorithmId{payload.tag});
  const std::string text = payload.wake ? "WAKE" : algorithm.describe_message(message);
  return fmt::format("{} of view {}", text, frame.epoch);
}

std::string ViewModel::tell(const SearchStep& step) const {
  const std::uint32_t who = step.from + 1u;
  const auto parcel = [&] { return fmt::format("P{}: {}", who, tell_frame(step.what)); };
  const std::uint32_t to = step.to + 1u;
  switch (static_cast<ViewStep>(step.kind)) {
    case ViewStep::exit:
      return fmt::format("P{}'s client leaves", who);
    case ViewStep::hear:
      return fmt::format("P{} hears that its client has left", who);
    case ViewStep::enter_again:
      return fmt::format("P{}'s client takes the lock again, which has stayed with it", who);
    case ViewStep::die:
      return fmt::format("P{}'s client dies", who);
    case ViewStep::read:
      return fmt::format("P{}'s client reads behind the gate", who);
    case ViewStep::write:
      return fmt::format("P{}'s client writes", who);
    case ViewStep::deliver:
      return fmt::format("P{} receives from {}", to, parcel());
    case ViewStep::learn:
      return fmt::format("P{} learns of the next view", who);
    case ViewStep::propose:
      return fmt::format("P{} reads the register and prepares a proposal", who);
    case ViewStep::commit:
      return fmt::format("P{} commits its proposal, or hears of a conflict", who);
    case ViewStep::wake:
      return fmt::format("P{} notices that its lease is over", who);
    case ViewStep::beat:
      return fmt::format("P{} beats again, or is refused", who);
    case ViewStep::rejoin:
      return fmt::format("P{} comes back as a new life", who);
    case ViewStep::expire:
      return fmt::format("the lease of P{}, which beats no more, runs out", who);
    case ViewStep::expire_ghost:
      return fmt::format("the lease of P{}'s former life runs out", who);
    case ViewStep::ask:
      return fmt::format("P{}'s client asks", who);
    case ViewStep::ask_to_share:
      return fmt::format("P{}'s client asks to share", who);
    case ViewStep::join:
      return fmt::format("P{} joins", who);
    case ViewStep::pause:
      return fmt::format("P{} is silent until its lease is over", who);
    case ViewStep::crash:
      return fmt::format("P{} crashes", who);
    case ViewStep::restart:
      return fmt::format("P{} restarts", who);
    case ViewStep::leave:
      return fmt::format("P{} wants to leave the group", who);
    case ViewStep::evict:
      return fmt::format("P{} is evicted", who);
    case ViewStep::deletion:
      return fmt::format("the record of P{} is deleted", who);
    case ViewStep::wiped:
      return "the engine loses all its records";
    case ViewStep::restored:
      return "the engine is restored to what it was in the beginning";
    case ViewStep::set:
      return fmt::format("{} is set as the algorithm", other_than(algorithm_.info.name));
    case ViewStep::follow:
      return fmt::format("P{} goes by the algorithm that was set", who);
    case ViewStep::give_way:
      return fmt::format("P{} is cut off from another member and gives way", who);
    case ViewStep::answer_lost:
      return fmt::format("P{}'s proposal is tried, and the answer lost", who);
    case ViewStep::commit_lost:
      return fmt::format("P{}'s proposal is lost on its way", who);
    case ViewStep::forget:
      return fmt::format("P{} forgets its idle instance", who);
    case ViewStep::deliver_twice:
      return fmt::format("P{} receives from {}; it will come again", to, parcel());
    case ViewStep::lose:
      return fmt::format("lost on the way to P{}: {}", to, parcel());
  }
  return "?";
}

}  // namespace hapax
