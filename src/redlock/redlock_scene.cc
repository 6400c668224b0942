#include "redlock/redlock_scene.h"

#include <algorithm>

namespace hapax {
namespace {

// Small numbers side by side in a word, in the order in which they are named.
class Packer {
 public:
  template <class T>
  void operator()(const T& value) {
    word |= static_cast<std::uint64_t>(value) << shift;
    shift += 6;
  }
  std::uint64_t word = 0;

 private:
  unsigned shift = 0;
};

class Unpacker {
 public:
  explicit Unpacker(std::uint64_t word) : rest_(word) {}
  template <class T>
  void operator()(T& value) {
    value = static_cast<T>(rest_ & 63);
    rest_ >>= 6;
  }

 private:
  std::uint64_t rest_;
};

template <class Client, class F>
void each_of_client(Client& c, F&& f) {
  f(c.phase), f(c.asked), f(c.set), f(c.age), f(c.left), f(c.is_paused), f(c.fence), f(c.read),
      f(c.has_read), f(c.tries);
}
template <class Server, class F>
void each_of_server(Server& s, F&& f) {
  f(s.holder), f(s.left), f(s.count), f(s.is_fast);
}
template <class Scene, class F>
void each_of_rest(Scene& s, F&& f) {
  f(s.has_paused), f(s.has_drifted), f(s.has_restarted), f(s.last_fence), f(s.gate), f(s.writes);
}

}  // namespace

void RedlockScene::pack(std::uint64_t* row, const RedlockOptions& o) const {
  const auto put = [&](const auto& thing, auto&& each) {
    Packer packer;
    each(thing, packer);
    *row++ = packer.word;
  };
  for (std::uint32_t c = 0; c < o.clients; ++c) {
    put(clients[c], [](auto& x, Packer& p) { each_of_client(x, p); });
  }
  for (std::uint32_t s = 0; s < o.servers; ++s) {
    put(servers[s], [](auto& x, Packer& p) { each_of_server(x, p); });
  }
  put(*this, [](auto& x, Packer& p) { each_of_rest(x, p); });
}

void RedlockScene::unpack(const std::uint64_t* row, const RedlockOptions& o) {
  for (std::uint32_t c = 0; c < o.clients; ++c) each_of_client(clients[c], Unpacker{*row++});
  for (std::uint32_t s = 0; s < o.servers; ++s) each_of_server(servers[s], Unpacker{*row++});
  each_of_rest(*this, Unpacker{*row});
}

bool RedlockScene::may_tick(const RedlockOptions& o) const {
  return std::none_of(clients.begin(), clients.begin() + o.clients, [](const RedlockClient& c) {
    return c.phase == RedlockClient::Phase::inside && c.left == 0 && !c.is_paused;
  });
}

void RedlockScene::tick(const RedlockOptions& o, const Redlock& rule) {
  for (std::uint32_t i = 0; i < o.clients; ++i) {
    RedlockClient& c = clients[i];
    const bool asks =
        c.phase == RedlockClient::Phase::asking || c.phase == RedlockClient::Phase::raising;
    if (asks && c.age < rule.ttl) ++c.age;
    if (c.phase == RedlockClient::Phase::inside && c.left > 0) --c.left;
  }
  for (std::uint32_t i = 0; i < o.servers; ++i) {
    RedlockServer& s = servers[i];
    const std::uint8_t ticks = s.is_fast ? 2 : 1;
    s.left = s.left > ticks ? static_cast<std::uint8_t>(s.left - ticks) : 0;
    if (s.left == 0) s.holder = 0;
  }
}

}  // namespace hapax
