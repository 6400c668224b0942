// A TCP proxy that cuts: for connections that break in the middle, where no member notices first.
#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/testing/strangers.h"
#include "net/address.h"

namespace hapax::net::testing {

class Proxy {
 public:
  using Tcp = boost::asio::ip::tcp;

  explicit Proxy(std::uint16_t target)
      : acceptor_(hapax::testing::strangers(),
                  Tcp::endpoint{boost::asio::ip::address_v4::loopback(), 0}),
        target_(target) {
    accept();
  }

  Address at() const { return {"127.0.0.1", acceptor_.local_endpoint().port(), ""}; }
  // Every connection breaks after so many bytes in either direction; 0: none does.
  void cut_after(std::size_t bytes) { shared_->limit = bytes; }
  void cut_all() {
    for (const auto& weak : pairs_) {
      if (const auto pair = weak.lock()) pair->cut();
    }
    pairs_.clear();
  }
  std::size_t cuts() const { return shared_->cuts; }

 private:
  // Strangers go on after a test, and so do its connections.
  struct Shared {
    std::size_t limit = 0;
    std::size_t cuts = 0;
  };
  struct Pair : std::enable_shared_from_this<Pair> {
    Pair(std::shared_ptr<Shared> shared_, Tcp::socket client_)
        : shared(std::move(shared_)),
          client(std::move(client_)),
          server(hapax::testing::strangers()) {}

    void pipe(Tcp::socket& from, Tcp::socket& to, std::array<char, 1024>& buffer) {
      from.async_read_some(boost::asio::buffer(buffer),
                           [&, self = shared_from_this()](auto failed, std::size_t count) {
                             if (failed) return cut();
                             passed += count;
                             const bool is_over = shared->limit != 0 && passed >= shared->limit;
                             if (is_over) count = count / 2;  // Somewhere inside a frame.
                             boost::asio::async_write(to, boost::asio::buffer(buffer.data(), count),
                                                      [&, self, is_over](auto broken, std::size_t) {
                                                        if (broken || is_over) return cut();
                                                        pipe(from, to, buffer);
                                                      });
                           });
    }
    void cut() {
      boost::system::error_code ignored;
      if (client.is_open()) ++shared->cuts;
      client.close(ignored);
      server.close(ignored);
    }

    const std::shared_ptr<Shared> shared;
    Tcp::socket client;
    Tcp::socket server;
    std::size_t passed = 0;
    std::array<char, 1024> up{};
    std::array<char, 1024> down{};
  };

  void accept() {
    acceptor_.async_accept([this](auto failed, Tcp::socket client) {
      if (failed) return;
      const auto pair = std::make_shared<Pair>(shared_, std::move(client));
      pairs_.push_back(pair);
      const Tcp::endpoint target{boost::asio::ip::address_v4::loopback(), target_};
      pair->server.async_connect(target, [pair](auto broken) {
        if (broken) return pair->cut();
        pair->pipe(pair->client, pair->server, pair->up);
        pair->pipe(pair->server, pair->client, pair->down);
      });
      accept();
    });
  }

  Tcp::acceptor acceptor_;
  std::uint16_t target_;
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::vector<std::weak_ptr<Pair>> pairs_;
};

}  // namespace hapax::net::testing
