// Strangers to our code in tests, who read and write by another library than ours: sockets of Asio
// are made with this. What of theirs is not done at once is done by strangers().poll().
#pragma once

#include <boost/asio/io_context.hpp>

namespace hapax::testing {

inline boost::asio::io_context& strangers() {
  static boost::asio::io_context all;
  return all;
}

}  // namespace hapax::testing
