// What a client and its daemon say to each other: four bytes of length (little-endian), then one
// record through the codec. A client numbers its requests; every answer names its request.
//
// A client and a daemon of neighbouring versions understand each other. The client's Hello names a
// version, and from then on both write the records as that version has them: a field with Since, or
// a record with kSince, is not in earlier ones. Hello and Refused are the same for ever, so that
// everybody can read what is refused and why. Lock, Person, Leader and MemberReport also travel
// between members, whose wire has versions of its own (net/frame.h): they stay as they are.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/record.h"
#include "core/fence.h"
#include "core/want.h"
#include "session/event_records.h"
#include "session/file_records.h"

namespace hapax::session {

inline constexpr std::uint32_t kVersion = 13;
// That we speak, too, and those in between. (No release spoke 11 as its own.)
inline constexpr std::uint32_t kOldestVersion = 10;
constexpr bool is_spoken(std::uint32_t version) {
  return kOldestVersion <= version && version <= kVersion;
}
inline constexpr std::size_t kLengthBytes = 4;
inline constexpr std::size_t kLargestAsk = 4096;  // Names have at most 512 bytes.
inline constexpr std::size_t kLargestAnswer = std::size_t{1} << 22;
inline constexpr std::size_t kLongestText = 512;
inline constexpr std::size_t kLongestMemberName = 64;
// A client that has not heard from its daemon for this long relies on nothing that it was granted.
inline constexpr std::chrono::milliseconds kSilence{4'000};
// After so long a client must have noticed that its daemon is gone, though its clock be slow.
inline constexpr std::chrono::milliseconds kUntilNoticed = kSilence + kSilence / 20;

// --- from the client ---

// The first. Who speaks is what the operating system says, on a Unix socket; this is for people.
struct Hello {
  std::uint32_t version = kVersion;
  std::uint32_t pid = 0;
  std::string host;
  std::string command;
  bool asks_only = false;  // It takes no locks: there is room for it when there is none for others.
  HAPAX_RECORD(Hello, version, pid, host, command, asks_only)
};
// Answered by Granted, sooner or later, or Refused.
struct Acquire {
  RequestId request = 0;
  std::string name;
  Want want = Want::exclusive;
  // The lock may stay with the client when it is released, by that word, from 1, of what they
  // share; 0: it does not. A word belongs to one lock at a time.
  Since<13, std::uint32_t> word{};
  HAPAX_RECORD(Acquire, request, name, want, word)
};
// Waits no longer: answered by Ended, unless it was granted meanwhile. Ended then says what was in
// the way, if it was not somebody who holds the lock.
struct Cancel {
  RequestId request = 0;
  HAPAX_RECORD(Cancel, request)
};
// No answer; or Refused, if it is not held.
struct Release {
  RequestId request = 0;
  HAPAX_RECORD(Release, request)
};
// Answered by Locks. An empty name asks for every lock.
struct Who {
  RequestId request = 0;
  std::string name;
  HAPAX_RECORD(Who, request, name)
};
// Answered by State; with what every member says of itself, if `all` are asked for.
struct AskState {
  RequestId request = 0;
  bool all = false;
  HAPAX_RECORD(AskState, request, all)
};
// A sign of life; answered by Pong.
struct Ping {
  RequestId request = 0;
  HAPAX_RECORD(Ping, request)
};
// Acquire for one that wants to lead: the lock of that name, and a value to proclaim meanwhile.
struct Campaign {
  RequestId request = 0;
  std::string name;
  std::string value;
  HAPAX_RECORD(Campaign, request, name, value)
};
// Release for the leader of `campaign`, in favour of the candidate with that value. Answered by
// Ended; or Refused, and it still leads.
struct HandOver {
  RequestId request = 0;
  RequestId campaign = 0;
  std::string to;
  HAPAX_RECORD(HandOver, request, campaign, to)
};
// Asks the leader to step down, for that candidate if there is one. Answered by Ended when the
// leader has been told, or Refused.
struct AskResign {
  RequestId request = 0;
  std::string name;
  std::string to;
  HAPAX_RECORD(AskResign, request, name, to)
};
// Answered by Observed, at first and whenever it changes, until Cancel.
struct Observe {
  RequestId request = 0;
  std::string name;
  HAPAX_RECORD(Observe, request, name)
};
// Answered by Stats.
struct AskStats {
  RequestId request = 0;
  HAPAX_RECORD(AskStats, request)
};
// The daemon leaves its group: what is held may be given back during that time. Answered by Ended
// when it has left, or Refused.
struct Leave {
  RequestId request = 0;
  std::uint64_t patience_ms = 0;
  HAPAX_RECORD(Leave, request, patience_ms)
};
// A member's beats are stopped. Answered by Ended, or Refused.
struct Evict {
  enum class Kind : std::uint8_t {
    evict,  // It comes back as another life …
    ban,    // … or does not, until
    unban,
  };
  friend constexpr bool is_valid(Kind k) { return k <= Kind::unban; }
  RequestId request = 0;
  std::string whom;  // Its name, or its life; of a ban also its seat, from 1.
  Kind kind = Kind::evict;
  HAPAX_RECORD(Evict, request, whom, kind)
};
// The client ends: what it holds is free. Over TCP a connection that just breaks proves nothing.
struct Goodbye {
  HAPAX_RECORD(Goodbye)
};
// What the client holds is held for this process group, on the daemon's machine: the daemon kills
// the group when the lock is lost or the client dies, before the lock is free. No answer.
struct Job {
  std::uint32_t group = 0;
  HAPAX_RECORD(Job, group)
};
// The lock is taken from whoever holds it, with that fence if one is said. Answered by Ended when
// they have been told, or Refused.
struct Break {
  RequestId request = 0;
  std::string name;
  std::optional<Fence> fence;
  HAPAX_RECORD(Break, request, name, fence)
};
// What all members have in common, in JSON. Answered by Told.
struct AskSettings {
  static constexpr std::uint32_t kSince = 11;
  RequestId request = 0;
  HAPAX_RECORD(AskSettings, request)
};
// Other settings for all members; what is not said stays. Answered by Told when the view that goes
// by them has begun or the time to wait is over, or by Refused.
struct SetSettings {
  static constexpr std::uint32_t kSince = 11;
  RequestId request = 0;
  std::optional<std::uint64_t> ttl_ms;
  std::optional<std::vector<std::string>> rules;  // All of them: PATTERN=ALGORITHM.
  std::optional<std::string> fallback;            // The algorithm of all other locks.
  std::uint64_t wait_ms = 0;
  HAPAX_RECORD(SetSettings, request, ttl_ms, rules, fallback, wait_ms)
};
// What the engine keeps for the group, in JSON. Answered by Told, or Refused.
struct AskBackup {
  static constexpr std::uint32_t kSince = 11;
  RequestId request = 0;
  HAPAX_RECORD(AskBackup, request)
};
// The client asks for memory that it shares with its daemon (kept/shared_words.h). On a Unix socket
// only. Answered by Shared.
struct Share {
  static constexpr std::uint32_t kSince = 13;
  HAPAX_RECORD(Share)
};
// Where the live page is, with a pass to it for whoever asks: a URL. Answered by Told, or Refused.
struct AskPage {
  static constexpr std::uint32_t kSince = 13;
  RequestId request = 0;
  HAPAX_RECORD(AskPage, request)
};
// Where the daemon stamps what changes of its files (file_stamps.h), for a client on its machine.
// Answered by Told, or Refused: there is no such thing.
struct AskStamps {
  static constexpr std::uint32_t kSince = 13;
  RequestId request = 0;
  HAPAX_RECORD(AskStamps, request)
};
// The messages of that lock, at all members, during so long. Answered by Told when that is over,
// with the bytes of a Recording (session/recording.h), or Refused.
struct AskRecording {
  static constexpr std::uint32_t kSince = 13;
  RequestId request = 0;
  std::string name;
  std::uint64_t for_ms = 0;
  HAPAX_RECORD(AskRecording, request, name, for_ms)
};
using Ask = std::variant<Hello, Acquire, Cancel, Release, Who, AskState, Ping, Campaign, HandOver,
                         AskResign, Observe, AskStats, Leave, Evict, Goodbye, Job, Break,
                         AskSettings, SetSettings, AskBackup, FileGet, FilePut, FileRemove,
                         FileList, FenceCheck, AskEvents, Share, AskPage, AskStamps, AskRecording>;

// --- from the daemon ---

struct Welcome {
  std::uint32_t version = kVersion;
  std::uint32_t member = 0;
  std::uint32_t size = 0;
  Epoch epoch{};
  std::uint64_t ttl_ms = 0;          // 0: there are no leases.
  Since<11, std::string> release{};  // That the daemon runs.
  HAPAX_RECORD(Welcome, version, member, size, epoch, ttl_ms, release)
};
struct Granted {
  RequestId request = 0;
  Fence fence;
  // By the word: its number there. 0: it is not, and Release gives it back.
  Since<13, std::uint64_t> entry{};
  HAPAX_RECORD(Granted, request, fence, entry)
};
struct Ended {
  RequestId request = 0;
  std::string obstacle{};  // Of a wait: why nobody could have been let in, for people.
  HAPAX_RECORD(Ended, request, obstacle)
};
struct Refused {
  enum class Kind : std::uint8_t {
    other,
    forbidden,     // Whoever asks has no right to it.
    no_candidate,  // Nobody campaigns who was named.
  };
  friend constexpr bool is_valid(Kind k) { return k <= Kind::no_candidate; }
  RequestId request = 0;
  std::string why;
  Kind kind = Kind::other;
  HAPAX_RECORD(Refused, request, why, kind)
};
struct Person {
  std::uint32_t member = 0;
  std::string member_name{};  // For people.
  std::string host;
  std::uint32_t pid = 0;
  std::string command;
  std::uint64_t since_ms = 0;
  std::optional<Fence> fence;
  bool shared = false;  // Holds the lock with others, or asks for no more than that.
  HAPAX_RECORD(Person, member, member_name, host, pid, command, since_ms, fence, shared)
};
struct Lock {
  std::string name;
  std::string algorithm;
  std::optional<Person> holder;
  std::vector<Person> sharers;  // Who holds it with others: readers, units.
  std::vector<Person> waiters;
  std::uint64_t more_sharers = 0;  // An answer has a limit: this many are not listed.
  std::uint64_t more_waiters = 0;
  HAPAX_RECORD(Lock, name, algorithm, holder, sharers, waiters, more_sharers, more_waiters)
};
struct Locks {
  RequestId request = 0;
  std::vector<Lock> locks;
  std::vector<std::uint32_t> silent;  // Members that did not answer in time.
  std::uint64_t more_locks = 0;       // Not listed; one that two members know counts twice.
  HAPAX_RECORD(Locks, request, locks, silent, more_locks)
};
// One life of a member, as the engine has it.
struct LifeState {
  std::uint64_t life = 0;
  std::uint32_t seat = 0;
  std::string name;
  std::string address;
  bool is_member = false;  // Of the view.
  bool is_up = false;      // Connected to the daemon that tells.
  bool is_evicted = false;
  std::uint64_t beat = 0;
  Since<11, std::string> release{};  // That it runs; empty: not known.
  HAPAX_RECORD(LifeState, life, seat, name, address, is_member, is_up, is_evicted, beat, release)
};
// A member of the view that the daemon does not reach, and that may hold locks.
struct AwayMember {
  std::uint32_t member = 0;
  std::string name;  // For people: db2; in a fixed list, member 2.
  // When its lease is over, about. Nothing: it is waited for.
  std::optional<std::uint64_t> free_in_ms;
  HAPAX_RECORD(AwayMember, member, name, free_in_ms)
};
struct BanState {
  std::uint32_t seat = 0;
  std::string name;
  std::string by;
  HAPAX_RECORD(BanState, seat, name, by)
};
// Of a group on an engine.
struct ViewState {
  std::string engine;
  bool engine_reachable = false;
  std::string engine_said;
  std::string engine_trouble;  // A sentence, if it does not answer.
  std::uint64_t ttl_ms = 0;
  std::uint64_t lease_ms = 0;  // Left; 0: none.
  bool in_jeopardy = false;
  std::string standing;
  std::vector<LifeState> lives;
  std::vector<BanState> bans;
  HAPAX_RECORD(ViewState, engine, engine_reachable, engine_said, engine_trouble, ttl_ms, lease_ms,
               in_jeopardy, standing, lives, bans)
};
// How a member is, as it says itself.
struct MemberReport {
  std::uint32_t member = 0;
  std::string name;
  std::string obstacle;  // Why it can grant nothing now; empty: it can.
  Epoch epoch{};
  std::uint32_t size = 0;      // Of its view; 0: none runs.
  std::uint64_t lease_ms = 0;  // Left.
  std::uint64_t clients = 0;
  std::uint64_t held = 0;
  std::uint64_t waiting = 0;
  std::uint64_t entries = 0;
  std::uint64_t uptime_ms = 0;
  HAPAX_RECORD(MemberReport, member, name, obstacle, epoch, size, lease_ms, clients, held, waiting,
               entries, uptime_ms)
};
struct Reports {
  std::vector<MemberReport> reports;
  std::vector<std::uint32_t> silent;  // Members that did not answer in time.
  HAPAX_RECORD(Reports, reports, silent)
};
// The next of the daemon's own that ends.
struct CertificateState {
  std::string file;           // Its name.
  std::uint64_t until_s = 0;  // Unix time.
  HAPAX_RECORD(CertificateState, file, until_s)
};
struct State {
  RequestId request = 0;
  std::string group;
  std::uint32_t member = 0;
  Epoch epoch{};
  std::vector<std::string> members;
  std::vector<std::uint8_t> up;      // 1 or 0, by member.
  std::vector<std::string> trouble;  // Why it is not up, by member; empty if nothing was said.
  std::string standing;              // Of a fixed list, in words.
  std::string name;                  // Of the daemon, for people.
  std::string obstacle;              // Why it can grant nothing, for people; empty: it can.
  std::vector<AwayMember> away;
  std::string absence;  // The same in a sentence; empty if nobody is.
  std::uint64_t locks = 0;
  std::uint64_t held = 0;
  std::uint64_t waiting = 0;
  std::uint64_t entries = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t uptime_ms = 0;
  std::string election;
  std::uint64_t term = 0;
  std::optional<std::uint32_t> leader;  // Of those that the daemon reaches.
  std::optional<ViewState> view;
  std::optional<Reports> all{};                    // If asked for.
  Since<11, std::vector<std::string>> releases{};  // Of a fixed list, as LifeState's, by member.
  Since<11, std::optional<CertificateState>> certificate{};  // None: it has none.
  HAPAX_RECORD(State, request, group, member, epoch, members, up, trouble, standing, name, obstacle,
               away, absence, locks, held, waiting, entries, messages_sent, messages_received,
               uptime_ms, election, term, leader, view, all, releases, certificate)
};
struct Pong {
  RequestId request = 0;
  std::optional<std::uint64_t> lease_ms;  // How long grants are good for; nothing: no leases.
  HAPAX_RECORD(Pong, request, lease_ms)
};
// What that request was granted, and nothing else, is not to be relied on any more. Either the
// daemon's lease ran out, and the request is over. Or the daemon leaves its group and wants it
// back: then it is held, and nobody else let in, until the client releases it or the lease is over.
struct Lost {
  RequestId request = 0;
  std::string why{};  // For people.
  HAPAX_RECORD(Lost, request, why)
};
// The leader, as it was when it became one.
struct Leader {
  Person who;  // With the fence of its term.
  std::string value;
  HAPAX_RECORD(Leader, who, value)
};
struct Observed {
  RequestId request = 0;
  std::optional<Leader> leader;  // None: vacant.
  HAPAX_RECORD(Observed, request, leader)
};
// To the leader of campaign `request`: somebody asks it to step down.
struct StepDown {
  RequestId request = 0;
  std::string to;  // For this candidate, unless empty.
  HAPAX_RECORD(StepDown, request, to)
};
struct Traffic {
  std::string algorithm;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  HAPAX_RECORD(Traffic, algorithm, sent, received)
};
struct Counter {
  std::string name;
  std::uint64_t value = 0;
  HAPAX_RECORD(Counter, name, value)
};
struct Stats {
  RequestId request = 0;
  std::uint32_t member = 0;
  std::string name;  // For people.
  std::uint64_t uptime_ms = 0;
  std::vector<Traffic> traffic;  // Of the algorithms that said anything.
  std::vector<Counter> counters;
  HAPAX_RECORD(Stats, request, member, name, uptime_ms, traffic, counters)
};
struct Told {
  static constexpr std::uint32_t kSince = 11;
  RequestId request = 0;
  std::string text;  // JSON, unless something else was asked for.
  HAPAX_RECORD(Told, request, text)
};
// Unasked: the TTL is another one than the welcome said.
struct Terms {
  static constexpr std::uint32_t kSince = 11;
  std::uint64_t ttl_ms = 0;
  HAPAX_RECORD(Terms, ttl_ms)
};
// With it comes a descriptor of the memory; without one there is none.
struct Shared {
  static constexpr std::uint32_t kSince = 13;
  HAPAX_RECORD(Shared)
};
using Answer =
    std::variant<Welcome, Granted, Ended, Refused, Locks, State, Pong, Observed, StepDown, Stats,
                 Lost, Told, Terms, FileTold, FileDone, FileNames, FenceTold, EventsTold, Shared>;

// Which one it answers, or is about; 0: none.
inline RequestId request_of(const Answer& answer) {
  return std::visit(
      [](const auto& a) -> RequestId {
        if constexpr (requires { a.request; }) return a.request;
        return 0;
      },
      answer);
}

}  // namespace hapax::session
