#include "hapax/error.h"

#include <string>

namespace hapax {
namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "hapax"; }
  std::string message(int value) const override {
    switch (static_cast<Errc>(value)) {
      case Errc::unreachable:
        return "no daemon answers; start one with `hapax up` or `hapax node`";
      case Errc::lost:
        return "the daemon is gone, and with it every lock it granted";
      case Errc::timed_out:
        return "the lock was not granted in time";
      case Errc::cancelled:
        return "the wait was called off";
      case Errc::bad_name:
        return "a lock's name is UTF-8, 1 to 512 bytes, without control characters";
      case Errc::bad_address:
        return "an address is unix:/path or host:port";
      case Errc::refused:
        return "the daemon refuses";
      case Errc::not_held:
        return "the lock is not held";
      case Errc::protocol:
        return "the other side does not speak hapax";
      case Errc::bad_gate:
        return "no fence gate wrote this, or not all of it: nobody passes until it is put right";
      case Errc::no_transaction:
        return "a gate in a database is asked inside the transaction that it guards";
      case Errc::bad_value:
        return "a leader's value is UTF-8, at most 512 bytes, without control characters";
      case Errc::no_candidate:
        return "nobody campaigns with that value, or a member did not answer";
      case Errc::no_leader:
        return "nobody leads, or a member did not answer";
      case Errc::untrusted:
        return "whoever listens there may be anybody";
      case Errc::forbidden:
        return "it is not allowed";
      case Errc::forked:
        return "it belongs to the process that forked this one; make a Client or Node of your own";
      case Errc::unavailable:
        return "nobody can be granted it now, whoever holds it; `hapax status` says what is in the "
               "way";
      case Errc::conflict:
        return "the file has another version, and was left as it is";
      case Errc::unknown_outcome:
        return "it may have been written, and it may not: read it fresh, and go on from there";
      case Errc::stale_fence:
        return "the fence is not the present holder's: the file was left as it is";
    }
    return "unknown error";
  }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

std::error_code make_error_code(Errc errc) noexcept {
  return {static_cast<int>(errc), error_category()};
}

}  // namespace hapax
