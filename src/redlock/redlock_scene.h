// One state of Redlock's clients and servers.
#pragma once

#include <array>
#include <cstdint>

#include "redlock/redlock.h"
#include "redlock/run_redlock.h"

namespace hapax {

struct RedlockClient {
  // It asks all servers; raises their counts to its fence; is inside; gives back; has tried enough.
  enum class Phase : std::uint8_t { idle, asking, raising, inside, leaving, done };
  Phase phase = Phase::idle;
  std::uint8_t asked = 0;  // A bit a server: it has answered.
  std::uint8_t set = 0;    // It is ours there.
  std::uint8_t age = 0;    // Ticks since it began to ask; no more than a TTL.
  std::uint8_t left = 0;   // Inside: ticks for which the lock is good.
  bool is_paused = false;
  std::uint8_t fence = 0;
  std::uint8_t read = 0;  // Behind the gate: what was there. Writes are counted.
  bool has_read = false;  // The gate let it.
  std::uint8_t tries = 0;
};

struct RedlockServer {
  std::uint8_t holder = 0;  // A client, from 1; 0: nobody.
  std::uint8_t left = 0;    // Ticks until the key expires.
  std::uint8_t count = 0;   // How often it was set, or more: see RedlockClient::fence.
  bool is_fast = false;
};

struct RedlockScene {
  static constexpr std::uint32_t kMostClients = 3;

  std::array<RedlockClient, kMostClients> clients{};
  std::array<RedlockServer, kMostRedlockServers> servers{};
  bool has_paused = false, has_drifted = false, has_restarted = false;
  std::uint8_t last_fence = 0;  // Of whoever came in last.
  std::uint8_t gate = 0;        // The highest that it has seen.
  std::uint8_t writes = 0;

  // A row has a word for each client, each server, and the rest.
  static std::uint32_t width(const RedlockOptions& o) { return o.clients + o.servers + 1; }
  void pack(std::uint64_t* row, const RedlockOptions& o) const;
  void unpack(const std::uint64_t* row, const RedlockOptions& o);

  // Time may go by: nobody who is awake has to leave first.
  bool may_tick(const RedlockOptions& o) const;
  void tick(const RedlockOptions& o, const Redlock& rule);
};

}  // namespace hapax
