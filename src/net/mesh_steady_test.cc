// In the steady state a message costs no allocation, in the clear or under TLS, and nearly nothing
// above the system calls.
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

#include "base/testing/folder.h"
#include "certs/certs.h"
#include "net/testing/party.h"

#ifndef HAPAX_SANITIZED

namespace {
std::atomic<std::uint64_t> allocations{0};
}

// Every `new` of this test binary is counted. Not inlined, or g++ sees a free() without its
// malloc().
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc{};
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace hapax::net {
namespace {

// Member 0 asks everybody and waits for all answers, as a lock does; `rounds` times.
std::uint64_t allocations_of(bool with_tls, int rounds) {
  const hapax::testing::Folder folder;
  HAPAX_CHECK(make_certs({folder.path(), {"a", "b", "c"}}).has_value());
  Loop io;
  std::vector<Address> addresses(3, testing::address("127.0.0.1:0"));
  std::vector<std::unique_ptr<Mesh>> meshes(3);
  const Bytes ask(40);
  int missing = 0;
  for (std::uint32_t i = 0; i < 3; ++i) {
    MeshOptions options = testing::options_of(i, addresses);
    if (with_tls) options.tls = tls_files(folder.path(), Seat{i});
    MeshHandlers handlers;
    handlers.on_message = [&, i](Seat from, std::span<const std::uint8_t> message) {
      if (i == 0) {
        --missing;
      } else {
        HAPAX_CHECK(meshes[i]->send(from, message));
      }
    };
    meshes[i] = Mesh::create(io, options, handlers).value();
    HAPAX_CHECK(meshes[i]->start().has_value());
    addresses[i] = meshes[i]->listening();
  }
  const auto round = [&] {
    missing = 2;
    for (const Seat to : {Seat{1}, Seat{2}}) HAPAX_CHECK(meshes[0]->send(to, ask));
    while (missing > 0) io.run_one();
  };
  for (int i = 0; i < 200; ++i) round();
  const std::uint64_t before = allocations;
  for (int i = 0; i < rounds; ++i) round();
  return allocations - before;
}

TEST(MeshSteady, AllocatesNothingPerMessage) {
  // A tick may come in between; but one allocation in a hundred messages would defeat the idea.
  EXPECT_LE(allocations_of(false, 2000), 20u);
  EXPECT_LE(allocations_of(true, 2000), 20u);
  EXPECT_GT(allocations, 100u) << "they are counted at all";
}

}  // namespace
}  // namespace hapax::net

#endif
