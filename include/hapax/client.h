// The way to a daemon, and through it to the group. One connection and one thread of its own, for
// any number of locks; usable from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "hapax/error.h"
#include "hapax/fence.h"

namespace hapax {

namespace detail {
class FileAccess;
class Gateway;
class Grants;
class JobTie;
}  // namespace detail

// Somebody who holds a lock or waits for it, as its daemon knows them.
struct Person {
  std::uint32_t member = 0;           // Whose daemon that is, from 1 …
  std::string member_name;            // … and what people call it.
  std::string host;                   // Where it runs.
  std::uint32_t pid = 0;              // There.
  std::string command;                // As ps shows it.
  std::chrono::milliseconds since{};  // How long it has held, or waited.
  std::optional<Fence> fence;         // Of a holder; none if it only keeps the lock.
  bool shared = false;                // Holds it with others, or asks for no more than that.
};

// A lock, and who has to do with it.
struct LockInfo {
  std::string name;              // Of the lock.
  std::string algorithm;         // That serves it.
  std::optional<Person> holder;  // Alone.
  std::vector<Person> sharers;   // Who holds it with others: readers, units of a semaphore.
  std::vector<Person> waiters;   // Each member's in their order; members in the order of their ids.
  // An answer has a limit, and people beyond it are only counted. Where all locks were asked for,
  // that is always so for those after a member's first hundred.
  std::uint64_t more_sharers = 0;
  std::uint64_t more_waiters = 0;  // As more_sharers.
};

// Of a group whose members find one another through an engine.
struct ViewStatus {
  // A member of the group, or one that was or will be.
  struct Life {
    std::uint64_t life = 0;   // One run of one member; never used again.
    std::uint32_t seat = 0;   // Its place among the members, from 1.
    std::string name;         // For people.
    std::string address;      // Where others reach it.
    bool is_member = false;   // Of the view.
    bool is_up = false;       // Connected to the daemon that answers, or itself.
    bool is_evicted = false;  // Somebody has stopped its beats.
    std::uint64_t beat = 0;   // The latest that the engine has of it.
    // The release of hapax that it runs: 0.1.0; "older", if it is too old to say. Empty: the daemon
    // that answers has not met it, or is too old itself.
    std::string release{};
  };
  std::string engine;                 // Its URL.
  bool engine_reachable = false;      // It has answered lately.
  std::string engine_said;            // What was wrong last; empty: nothing.
  std::string engine_trouble;         // A sentence, if it does not answer.
  std::chrono::milliseconds ttl{};    // How long a lease lasts.
  std::chrono::milliseconds lease{};  // Left; zero: none, and nothing is granted.
  bool in_jeopardy = false;  // The engine has not answered for a while; nothing is lost yet.
  std::string standing;      // What the daemon is doing, for people.
  std::vector<Life> lives;   // All that the engine knows of.
  // A seat that is kept out.
  struct Ban {
    std::uint32_t seat = 0;  // From 1.
    std::string name;        // Of the member that had it …
    std::string by;          // … and of the one that was asked to ban it.
  };
  std::vector<Ban> bans;  // Until they are lifted.
};

// How one member is, as it says itself.
struct MemberStatus {
  std::uint32_t member = 0;           // From 1.
  std::string name;                   // For people.
  std::string obstacle;               // Why it can grant nothing now, in a sentence; empty: it can.
  Epoch epoch{};                      // Of its view.
  std::uint32_t view_size = 0;        // Members of its view; zero: none runs.
  std::chrono::milliseconds lease{};  // Left.
  std::uint64_t clients = 0;          // That it serves …
  std::uint64_t held = 0;             // … what they hold …
  std::uint64_t waiting = 0;          // … how often they wait for a lock …
  std::uint64_t entries = 0;          // … and how many grants they have had.
  std::chrono::milliseconds uptime{};  // Since it started.
};

// A group, as one of its members sees it.
struct GroupStatus {
  std::string group;                 // Its name.
  std::uint32_t member = 0;          // The daemon that answers, from 1.
  std::uint32_t size = 0;            // How many members there are.
  Epoch epoch{};                     // Of the view; fences begin with it.
  std::vector<std::string> members;  // Where each is reached.
  std::vector<bool> up;              // Whether the daemon that answers is connected to it.
  std::vector<std::string> trouble;  // Why it is not, as far as one of the two has said so.
  std::string standing;              // Of a fixed list: whether a view runs, and who is missing.
  std::string name;                  // Of the daemon that answers, for people.
  // Why it can grant nothing now, in a sentence ("no lease: etcd at … does not answer since 12 s");
  // empty: it can.
  std::string obstacle;
  // A member of the view that the daemon does not reach. What it holds, or has to be asked for, is
  // not to be had.
  struct Away {
    std::uint32_t member = 0;  // From 1.
    std::string name;          // For people: member db2.
    // Until its lease is over and all that it holds is free, about. Nothing: in a fixed list it is
    // waited for.
    std::optional<std::chrono::milliseconds> free_in;
  };
  std::vector<Away> away;               // All of them.
  std::string absence;                  // The same in a sentence; empty: nobody is away.
  std::uint64_t locks = 0;              // That the daemon has to do with …
  std::uint64_t held = 0;               // … that its clients hold …
  std::uint64_t waiting = 0;            // … how often they wait for one …
  std::uint64_t entries = 0;            // … and how many grants they have had.
  std::uint64_t messages_sent = 0;      // To other members, of all algorithms …
  std::uint64_t messages_received = 0;  // … and from them.
  std::chrono::milliseconds uptime{};   // Of the daemon.
  std::string election;                 // The algorithm by which members elect.
  std::uint64_t term = 0;               // Of the election among those that are up.
  std::optional<std::uint32_t> leader;  // Its outcome, from 1. For people: it decides nothing.
  std::optional<ViewStatus> view;       // With an engine.
  // If asked for: what members say of themselves, and which, from 1, did not within a second.
  std::vector<MemberStatus> all;
  std::vector<std::uint32_t> silent;    // Those that did not.
  std::string release{};                // Of hapax, that the daemon runs; empty: too old to say.
  std::vector<std::string> releases{};  // Of a fixed list, that each member runs: as Life::release.
  // One of the daemon's own.
  struct Certificate {
    std::string file;                             // Its name: member-1.pem, or its authority's.
    std::chrono::system_clock::time_point until;  // When it expires.
  };
  std::optional<Certificate> certificate{};  // The next that expires; nothing: there is none.
};

// What one member has counted since it started.
struct MemberStats {
  // Messages of an algorithm.
  struct Traffic {
    std::string algorithm;       // Its name.
    std::uint64_t sent = 0;      // To other members.
    std::uint64_t received = 0;  // From them.
  };
  std::uint32_t member = 0;                                     // Which, from 1.
  std::string name;                                             // For people.
  std::chrono::milliseconds uptime{};                           // Since then.
  std::vector<Traffic> traffic;                                 // By algorithm.
  std::vector<std::pair<std::string, std::uint64_t>> counters;  // For people: names may change.
};

// Where daemons are, and who we are to those on other machines.
struct ClientOptions {
  std::vector<std::string> addresses{};  // unix:/path or host:port; the first that answers serves.
  // PEM files, as `hapax certs --clients` makes them: with them TCP is TLS 1.3. Without them only
  // Unix sockets are reached …
  std::string authority{};
  std::string certificate{};  // Who we are …
  std::string key{};          // … and its private key.
  bool insecure = false;      // … and TCP on this machine, whoever of its users may listen there.
  // Behind a Unix socket only a daemon of our own user or root's is believed; and this one's, by
  // name or number.
  std::string server_user{};
  // Takes no locks: is let in even where a daemon has all the clients that it can serve.
  bool asks_only = false;
  // Of an engine, where that is the address, with no daemon in between (docs/direct.md); the PEM
  // files are then for its servers.
  std::string engine_user{};           // Empty: none.
  std::string engine_password{};       // Of that user.
  std::string engine_group = "hapax";  // Whose files are read and written there (docs/cell.md).
  // How long what is held outlives a program that is killed or cut off: from 1 s to 1 h.
  std::chrono::milliseconds engine_ttl{10'000};
  // How many units semaphores have there, as all who use them must say alike: PATTERN=NUMBER, with
  // commas between them: pool/*=4,license=2. ZooKeeper only.
  std::string engine_units{};
};

// A connection to a daemon, for any number of locks and threads.
class Client {
 public:
  // The daemon is asked for a sign of life this often; after this much silence it counts as gone,
  // and what it granted as lost.
  static constexpr std::chrono::milliseconds kPingEvery{1'000};
  static constexpr std::chrono::milliseconds kSilence{4'000};  // See kPingEvery.

  // The local daemon, at default_address(). Throws std::system_error if nobody answers there.
  Client();
  // `unix:/path` or `host:port`, or several, separated by commas: the first that answers, and if
  // that one is lost, the first that answers the next request. Or an engine that is used directly,
  // as etcd://h1:2379,h2:2379; the program links hapax::engines for that. Or cells:FILE, which says
  // which of several groups and engines serves a name (docs/scale.md). Certificates: $HAPAX_CA,
  // $HAPAX_CERT and $HAPAX_KEY; the rest of ClientOptions: $HAPAX_INSECURE (true),
  // $HAPAX_SERVER_USER, $HAPAX_ENGINE_USER, $HAPAX_ENGINE_PASSWORD_FILE, $HAPAX_ENGINE_TTL (5s)
  // and $HAPAX_ENGINE_GROUP.
  explicit Client(std::string_view addresses);
  // As the options say, and nothing else.
  explicit Client(const ClientOptions& options);
  ~Client();  // What is held stays so until its Mutex and the like are gone, too.
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Throws std::system_error. An empty name asks for every lock that is held or waited for. Members
  // that did not answer within a second are left out, and listed in `silent`, from 1, if it is
  // given. Locks beyond the first thousand are left out, too, and counted in `more_locks`; one that
  // two members know counts twice.
  std::vector<LockInfo> who(std::string_view name = {},
                            std::vector<std::uint32_t>* silent = nullptr,
                            std::uint64_t* more_locks = nullptr);
  // Of the group, as the daemon sees it; `all`: every member is asked how it is. Throws
  // std::system_error.
  GroupStatus status(bool all = false);
  MemberStats stats();  // What the daemon has counted. Throws std::system_error.
  // Fires when current grants cannot be relied on any more: the daemon is gone, or its lease over.
  std::stop_token lost() const;

  // What evict() does.
  enum class Eviction : std::uint8_t {
    evict,  // It may come back …
    ban,    // … or not, …
    unban   // … until then.
  };
  // The daemon leaves its group and ends; what is held there may be given back until `patience` is
  // over, and is then lost. Throws std::system_error.
  void leave_group(std::chrono::milliseconds patience);
  // Stops the beats of a member, named by its name or life: it is removed when its lease is over,
  // and comes back as another life unless it is stopped. One that is banned does not, however often
  // it is started: its seat stays out until it is unbanned, by that name or seat (from 1). Throws
  // std::system_error.
  void evict(std::string_view member, Eviction eviction = Eviction::evict);

  // Takes a lock from whoever holds it, wherever in the group; with that fence only, if one is
  // said, so that nobody else's is broken who got it meanwhile. The holder is told (lost()), its
  // job is ended if its daemon can, and the next fence is larger. Dangerous: a holder that is stuck
  // and wakes up later may still write; only a fence gate stops it. For administrators. Throws
  // std::system_error: Errc::refused if nobody who answers holds it.
  void break_lock(std::string_view name, const std::optional<Fence>& fence = std::nullopt);

  // What all members of a group have in common, and who set it: JSON, as `hapax settings --json`
  // prints it. Throws std::system_error.
  std::string settings();
  // Other settings for all members of a group on an engine: what is not said stays.
  struct SettingsChange {
    std::optional<std::chrono::milliseconds> ttl{};        // How long a lease lasts.
    std::optional<std::vector<std::string>> algorithms{};  // All rules: PATTERN=ALGORITHM.
    std::optional<std::string> default_algorithm{};        // Of all other locks.
    // How long the view that goes by them is waited for.
    std::chrono::milliseconds patience = std::chrono::seconds{30};
  };
  // They hold from the next view on, also for members that come later. JSON: settings(), and
  // "missing", the members without which that view has not begun. For administrators. Throws
  // std::system_error: Errc::refused if nothing was changed.
  std::string set_settings(const SettingsChange& change);

  // What the engine keeps for the group: JSON, as `hapax backup` writes it. For administrators.
  // Throws std::system_error.
  std::string backup();
  // Where the daemon's live page is: a URL, with a pass of one's own after the #. Throws
  // std::system_error: Errc::refused if the daemon shows none.
  std::string live_page();
  // The messages of that lock at all members, a minute's at most, which `hapax watch --trace`
  // reads.
  std::string record(std::string_view name, std::chrono::milliseconds duration);
  // Where Client{} looks: own_address() or, if there is no such socket, the daemon of this machine
  // that the packages install, /run/hapaxd/hapax.sock.
  static std::string default_address();
  // Where `hapax up` and `hapax node` serve by default: $HAPAX_ADDRESS, or this user's Unix socket.
  static std::string own_address();
  // As the constructor with addresses has them, from the environment.
  static ClientOptions options_for(std::string_view addresses);
  // The same for whoever serves that name, if they are cells:FILE; the name is then as it is there.
  static ClientOptions options_for(std::string_view addresses, std::string& name);

 private:
  friend class Election;
  friend class Mutex;
  friend class detail::FileAccess;
  friend class detail::Grants;
  friend class detail::JobTie;
  std::shared_ptr<detail::Gateway> gateway_;
};

}  // namespace hapax
