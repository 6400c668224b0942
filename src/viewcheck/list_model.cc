#include "viewcheck/list_model.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "catalog/catalog.h"
#include "locks/lock_payload.h"
#include "service/view_frame.h"

namespace hapax {
namespace {

// A step of a process, `from`; or from one `to` the other.
enum class ListStep : std::uint8_t {
  // What happens eventually if it stays possible.
  deliver,
  meet,
  part,
  exit,
  write,
  notice,
  restart,
  // What may happen or not.
  ask,
  crash,
  restart_without_file,
  flap
};

SearchStep step_of(ListStep kind, std::uint32_t from, std::uint32_t to = 0,
                   std::uint32_t link = 0) {
  return {static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(from),
          static_cast<std::uint8_t>(to), link};
}

}  // namespace

ListModel::ListModel(const Operations& algorithm, const ListCheckOptions& options)
    : options_(options), n_(options.n), scene_(algorithm, options) {}

template <class T>
std::uint32_t ListModel::number_of(Parts<T>& parts, const T& value) {
  key_.clear();
  encode_to(key_, value);
  const std::string_view key{reinterpret_cast<const char*>(key_.data()), key_.size()};
  return parts.number_of(key, [&] { return value; });
}

// The scene as a row.
void ListModel::pack(std::uint64_t* row) {
  std::vector<std::uint32_t> numbers;
  for (const ListProcess& p : scene_.processes) numbers.push_back(number_of(processes_, p));
  for (const ListScene::Link& link : scene_.links) numbers.push_back(number_of(links_, link));
  numbers.push_back(number_of(commons_, scene_.commons));
  row[width() - 1] = 0;
  std::memcpy(row, numbers.data(), numbers.size() * sizeof(std::uint32_t));
}

std::uint32_t ListModel::number_at(const std::uint64_t* row, std::uint32_t part) const {
  std::uint32_t number;
  std::memcpy(&number, reinterpret_cast<const char*>(row) + part * sizeof number, sizeof number);
  return number;
}

void ListModel::unpack(const std::uint64_t* row) {
  for (std::uint32_t i = 0; i < n_; ++i) scene_.processes[i] = processes_[number_at(row, i)];
  for (std::uint32_t l = 0; l < n_ * n_; ++l) scene_.links[l] = links_[number_at(row, n_ + l)];
  scene_.commons = commons_[number_at(row, parts() - 1)];
  scene_.failure.reset();
}

void ListModel::expand(const std::uint64_t* row, Steps& steps) {
  unpack(row);
  for (std::uint32_t i = 0; i < n_; ++i) expand_process(row, steps, i);
}

void ListModel::expand_process(const std::uint64_t* row, Steps& steps, std::uint32_t i) {
  const auto take = [&](bool can, const SearchStep& which, auto&& act) {
    if (can) step(row, steps, which, act);
  };
  const ListProcess p = scene_.processes[i];
  take(p.ghost_inside, step_of(ListStep::notice, i), [&] { scene_.notice(i); });
  take(!p.alive, step_of(ListStep::restart, i), [&] { scene_.restart(i, false); });
  take(!p.alive && options_.files_may_go, step_of(ListStep::restart_without_file, i),
       [&] { scene_.restart(i, true); });
  if (!p.alive) return;
  take(scene_.can_ask(i), step_of(ListStep::ask, i), [&] { scene_.ask(i); });
  take(p.client == Phase::inside, step_of(ListStep::exit, i), [&] { scene_.exit(i); });
  take(scene_.can_write(i), step_of(ListStep::write, i), [&] { scene_.write(i); });
  take(scene_.commons.restarts > 0, step_of(ListStep::crash, i), [&] { scene_.crash(i); });
  for (std::uint32_t j = 0; j < n_; ++j) {
    if (j == i) continue;
    take(scene_.can_meet(i, j), step_of(ListStep::meet, i, j), [&] { scene_.meet(i, j); });
    take(scene_.can_part(i, j), step_of(ListStep::part, i, j), [&] { scene_.part(i, j); });
    take(scene_.can_flap(i, j), step_of(ListStep::flap, i, j), [&] { scene_.flap(i, j); });
    take(scene_.can_deliver(j, i),
         step_of(ListStep::deliver, j, i, number_at(row, n_ + j * n_ + i)),
         [&] { scene_.deliver(j, i); });
  }
}

// Takes the step, hands it on, and puts everything back as it was.
void ListModel::step(const std::uint64_t* row, Steps& steps, const SearchStep& step,
                     const std::function<void()>& act) {
  std::uint64_t inside_before = 0;
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (scene_.processes[i].client == Phase::inside) inside_before |= std::uint64_t{1} << i;
  }
  act();
  for (std::uint32_t i = 0; i < n_; ++i) {
    const bool is_inside = scene_.processes[i].client == Phase::inside;
    if (is_inside && (inside_before >> i & 1) == 0) steps.enter(i);
  }
  if (scene_.failure) {
    steps.fail(step, scene_.failure->property, scene_.failure->text);
  } else {
    packed_.resize(width());
    pack(packed_.data());
    steps.add(step, packed_.data());
  }
  unpack(row);
}

std::uint64_t ListModel::waits(const std::uint64_t* row) const {
  std::uint64_t waiting = 0;
  for (std::uint32_t i = 0; i < n_; ++i) {
    const ListProcess& p = processes_[number_at(row, i)];
    if (p.alive && p.client == Phase::waiting) waiting |= std::uint64_t{1} << i;
  }
  return waiting;
}

std::string ListModel::dead_end(const std::uint64_t* row) const {
  return fmt::format("P{} waits for ever although all are back", std::countr_zero(waits(row)) + 1);
}

std::optional<std::uint32_t> ListModel::fair_class(const SearchStep& step) const {
  if (static_cast<ListStep>(step.kind) >= ListStep::ask) return std::nullopt;
  const std::uint32_t pair = step.from * n_ + step.to;
  if (static_cast<ListStep>(step.kind) <= ListStep::part) return step.kind * n_ * n_ + pair;
  return 3 * n_ * n_ + (step.kind - 3u) * n_ + step.from;
}

// --- in words ---

std::vector<std::string> ListModel::tell(const std::vector<SearchStep>& way) {
  std::vector<std::string> lines;
  for (const SearchStep& step : way) lines.push_back(tell(step));
  return lines;
}

std::string ListModel::tell_frame(std::uint32_t link) const {
  const ViewFrame frame = *divide_view_frame(scene_.frame(links_[link].front()));
  if (frame.is_report) {
    const bool held = !decode<ReportPart>(frame.rest)->held.empty();
    return fmt::format("its report for epoch {}, {}held", frame.epoch, held ? "" : "not ");
  }
  const LockPayload payload = *divide_payload(frame.rest);
  // Not always ours: settings may differ.
  const Operations& algorithm = *find_algorithm(AlgorithmId{payload.tag});
  const std::string text = payload.wake ? "WAKE" : algorithm.describe_message(payload.message);
  return fmt::format("{} of epoch {}", text, frame.epoch);
}

std::string ListModel::tell(const SearchStep& step) const {
  const std::uint32_t who = step.from + 1u;
  const std::uint32_t other = step.to + 1u;
  switch (static_cast<ListStep>(step.kind)) {
    case ListStep::deliver:
      return fmt::format("P{} receives from P{}: {}", other, who, tell_frame(step.what));
    case ListStep::meet:
      return fmt::format("P{} is connected to P{}", who, other);
    case ListStep::part:
      return fmt::format("P{} notices that P{} is gone", who, other);
    case ListStep::exit:
      return fmt::format("P{}'s client leaves", who);
    case ListStep::write:
      return fmt::format("P{} writes down the next epoch, and reports for it", who);
    case ListStep::notice:
      return fmt::format("the client of P{}'s last life notices that it is over", who);
    case ListStep::restart:
      return fmt::format("P{} starts again", who);
    case ListStep::ask:
      return fmt::format("P{}'s client asks", who);
    case ListStep::crash:
      return fmt::format("P{} is killed", who);
    case ListStep::restart_without_file:
      return fmt::format("P{} starts again, and its state file is gone", who);
    case ListStep::flap:
      return fmt::format("P{} loses its connection to P{}", who, other);
  }
  return "?";
}

}  // namespace hapax
