#include "inquiries/recordings.h"

#include <algorithm>
#include <utility>

#include "base/printable.h"

namespace hapax {

namespace {

constexpr std::size_t kMostOfMember = std::size_t{256} << 10;

}  // namespace

class Recordings::Log : public LockObserver {
 public:
  Log(std::size_t room, std::function<std::uint64_t()> now_us)
      : room_(room), now_us_(std::move(now_us)) {}

  void on_step(LockStep&& step) override {
    const std::size_t size = 48 + step.message.size();  // No encoding of the rest is longer.
    if (is_full_ || size > room_) {
      is_full_ = true;  // What is left out in the middle could not be repeated.
      return;
    }
    room_ -= size;
    step.time_us = now_us_();
    steps_.push_back(std::move(step));
  }
  bool is_full() const { return is_full_; }
  std::vector<LockStep> take() { return std::move(steps_); }

 private:
  std::size_t room_;
  std::function<std::uint64_t()> now_us_;
  std::vector<LockStep> steps_;
  bool is_full_ = false;
};

Result<void> Recordings::record(const std::string& name, std::chrono::milliseconds duration,
                                Tell tell) {
  if (wanted_) return error("another recording is being made here; ask again when it is over");
  const std::uint64_t for_ms = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(duration.count()), 1, session::kLongestRecordingMs);
  for (const Seat peer : host_.others()) {
    if (!host_.is_up(peer)) return error("not all members are reached");
    if (!host_.knows_recordings(peer)) return error("not all members know how to record yet");
  }
  // Greater than any before, of our life before as well.
  last_ = std::max(last_ + 1, host_.now_us());
  const RecordLock asked{number(self_), last_, name, for_ms};
  if (const auto begun = begin(asked); !begun) return begun.error();
  wanted_ = Wanted{asked.recording, {name, host_.now_us() / 1000, for_ms, {}}, {}, std::move(tell)};
  wanted_->missing.insert(self_);
  for (const Seat peer : host_.others()) wanted_->missing.insert(peer);
  host_.after(std::chrono::milliseconds{for_ms} + kPatience, [this, recording = asked.recording] {
    if (wanted_ && wanted_->recording == recording) finish();
  });
  return {};
}

Result<void> Recordings::begin(const RecordLock& asked) {
  if (own_) return error("another recording is being made there");
  const std::size_t room =
      std::min(kMostOfMember, session::kLargestRecording / (host_.others().size() + 1));
  const auto log = std::make_shared<Log>(room, host_.now_us);
  auto recorded = host_.observe(asked.name, log);
  if (!recorded) return recorded.error();
  recorded->member = number(self_);
  own_ = Own{asked, std::move(*recorded), log};
  for (const Seat peer : host_.others()) host_.send(peer, asked);
  host_.after(std::chrono::milliseconds{asked.for_ms},
              [this, asked] { end(asked.by, asked.recording); });
  return {};
}

bool Recordings::on(Seat from, const RecordLock& asked) {
  if (asked.for_ms < 1 || asked.for_ms > session::kLongestRecordingMs) return false;
  if (!is_own(asked)) {
    const std::vector<Seat> others = host_.others();
    if (std::find(others.begin(), others.end(), Seat{asked.by}) == others.end()) return true;
    std::uint64_t& heard = heard_[asked.by];
    if (asked.recording <= heard) return true;  // It is over, and this came late.
    heard = asked.recording;
    if (const auto begun = begin(asked); !begun) {
      session::MemberRecording nothing;
      nothing.refusal = begun.error().message;
      host_.send(Seat{asked.by}, TellRecorded{asked.recording, std::move(nothing)});
      return true;
    }
  }
  if (const auto place = host_.place_of(from)) {
    own_->log->on_step({LockStep::Kind::mark, *place, {}, 0, std::nullopt});
  }
  return true;
}

void Recordings::end(std::uint32_t by, std::uint64_t recording) {
  if (!own_ || own_->asked.by != by || own_->asked.recording != recording) return;
  Own own = std::move(*own_);
  own_.reset();
  // Only we know the log if the table that wrote it is gone.
  own.recorded.is_cut = own.log->is_full() || own.log.use_count() == 1;
  (void)host_.observe(own.asked.name, nullptr);
  own.recorded.steps = own.log->take();
  if (by == number(self_)) {
    if (wanted_ && wanted_->recording == recording) take(self_, std::move(own.recorded));
    return;
  }
  host_.send(Seat{by}, TellRecorded{recording, std::move(own.recorded)});
}

bool Recordings::on(Seat from, const TellRecorded& told) {
  constexpr std::size_t kLongest = session::kLongestText;
  if (told.recorded.name.size() > kLongest || told.recorded.refusal.size() > kLongest) return false;
  if (!wanted_ || wanted_->recording != told.recording) return true;
  session::MemberRecording recorded = told.recorded;
  recorded.member = number(from);
  take(from, std::move(recorded));
  return true;
}

void Recordings::take(Seat from, session::MemberRecording&& recorded) {
  if (wanted_->missing.erase(from) == 0) return;
  wanted_->gathered.members.push_back(std::move(recorded));
  if (wanted_->missing.empty()) finish();
}

void Recordings::finish() {
  Wanted done = std::move(*wanted_);
  wanted_.reset();
  if (!done.missing.empty()) return done.tell(error("not all members told what they recorded"));
  for (const session::MemberRecording& member : done.gathered.members) {
    if (member.refusal.empty()) continue;
    return done.tell(error("{}: {}", printable(member.name.empty() ? "a member" : member.name),
                           printable(member.refusal)));
  }
  done.tell(done.gathered);
}

void Recordings::clear() {
  own_.reset();
  wanted_.reset();
}

}  // namespace hapax
