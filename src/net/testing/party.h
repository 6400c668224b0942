// Meshes on one loop over real sockets, with everything their handlers heard.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/testing/strangers.h"
#include "loop/loop.h"
#include "net/mesh.h"
#include "wire/codec.h"

namespace hapax::net::testing {

inline constexpr Seat k0{0}, k1{1}, k2{2};

inline Address address(std::string_view text) { return parse_address(text).value(); }

// Runs the loop until `done`; false if that takes too long.
template <class Done>
bool run_until(Loop& io, Done done, std::chrono::seconds patience = std::chrono::seconds{20}) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    io.restart();
    io.run_one_for(std::chrono::milliseconds{1});
    hapax::testing::strangers().restart();
    hapax::testing::strangers().poll();
  }
  return true;
}

inline void run_for(Loop& io, Milliseconds time) {
  io.restart();
  io.run_for(time);
}

// A member, and what it heard. Messages are numbers, and must come as 1, 2, 3, …
class Member {
 public:
  explicit Member(Loop& io, MeshOptions options) : io_(io), options_(std::move(options)) {
    heard_.resize(options_.members.size());
    sent_.resize(options_.members.size());
    options_.log = [this](const std::string& line) { log.push_back(line); };
    open();
  }

  void open() {
    MeshHandlers handlers;
    handlers.on_message = [this](Seat from, std::span<const std::uint8_t> message) {
      std::uint64_t value = 0;
      Decoder decoder{message};
      const bool is_number = decoder.read(value);
      HAPAX_CHECK(is_number);
      if (value != ++heard_[number(from)]) ++disorder;
    };
    handlers.on_up = [this](Seat peer) { events.push_back(fmt::format("up {}", number(peer))); };
    handlers.on_down = [this](Seat peer, std::string_view why) {
      events.push_back(fmt::format("down {}", number(peer)));
      reasons.emplace_back(why);
    };
    handlers.on_forgotten = [this](Seat peer) {
      events.push_back(fmt::format("forgotten {}", number(peer)));
      heard_[number(peer)] = 0;
      sent_[number(peer)] = 0;
    };
    auto made = Mesh::create(io_, options_, std::move(handlers));
    HAPAX_CHECK(made.has_value());
    mesh = std::move(*made);
    const Result<void> started = mesh->start();
    HAPAX_CHECK(started.has_value());
    options_.members[number(options_.self)] = mesh->listening();  // For the next time.
  }

  // The process dies and a new one comes to its place.
  void crash() { mesh.reset(); }
  void come_back() {
    options_.incarnation = 0;
    heard_.assign(heard_.size(), 0);
    sent_.assign(sent_.size(), 0);
    open();
  }

  void say(Seat to, std::size_t padding = 0) {
    Bytes message = encode(++sent_[number(to)]);
    message.resize(message.size() + padding);
    const bool taken = mesh->send(to, message);
    HAPAX_CHECK(taken);
  }
  std::uint64_t heard(Seat from) const { return heard_[number(from)]; }
  std::uint64_t dropped(Drop drop) const { return mesh->stats().dropped(drop); }
  Address at() const { return mesh->listening(); }

  std::unique_ptr<Mesh> mesh;
  std::vector<std::string> events;
  std::vector<std::string> reasons;
  std::vector<std::string> log;
  std::uint64_t disorder = 0;

 private:
  Loop& io_;
  MeshOptions options_;
  std::vector<std::uint64_t> heard_;
  std::vector<std::uint64_t> sent_;
};

inline MeshOptions options_of(std::uint32_t self, std::vector<Address> members) {
  MeshOptions options;
  options.self = Seat{self};
  options.members = std::move(members);
  options.group = "test";
  options.settings = "one";
  options.is_insecure = true;  // Loopback ports.
  options.limits.backoff_min = Milliseconds{2};
  options.limits.backoff_max = Milliseconds{50};
  return options;
}

// `size` members on loopback ports that were free. Only lower ids are dialled, so the addresses of
// higher ones need not be known yet. `change` may adjust the options of each.
struct Party {
  template <class Change>
  Party(std::uint32_t size, Change change) {
    std::vector<Address> addresses(size, address("127.0.0.1:0"));
    for (std::uint32_t i = 0; i < size; ++i) {
      MeshOptions options = options_of(i, addresses);
      change(options);
      members.push_back(std::make_unique<Member>(io, options));
      addresses[i] = members[i]->at();
    }
  }
  explicit Party(std::uint32_t size) : Party(size, [](MeshOptions&) {}) {}

  Member& operator[](std::uint32_t i) { return *members[i]; }

  bool are_all_up() const {
    for (const auto& member : members) {
      for (std::uint32_t i = 0; i < members.size(); ++i) {
        if (members[i] != member && !member->mesh->is_up(Seat{i})) return false;
      }
    }
    return true;
  }
  template <class Done>
  bool until(Done done) {
    return run_until(io, done);
  }
  bool connect() {
    return until([&] { return are_all_up(); });
  }

  Loop io;
  std::vector<std::unique_ptr<Member>> members;
};

}  // namespace hapax::net::testing
