#include "base/doubt.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace hapax {
namespace {

struct Broken {
  std::string message;
};

thread_local std::string_view doubt;  // Its sentence; empty: there is none.

// Ends the doubt however `take` ends.
class Doubting {
 public:
  explicit Doubting(std::string_view sentence) : before_(std::exchange(doubt, sentence)) {}
  ~Doubting() { doubt = before_; }
  Doubting(const Doubting&) = delete;
  Doubting& operator=(const Doubting&) = delete;

 private:
  std::string_view before_;
};

}  // namespace

Result<void> in_doubt(std::string_view sentence, const std::function<void()>& take) {
  try {
    const Doubting doubting{sentence};
    take();
  } catch (const Broken& broken) {
    return Error{broken.message};
  }
  return {};
}

void doubt_detail::end_if_in_doubt(std::string_view expression, std::string_view operands) {
  if (doubt.empty()) return;
  std::string message = fmt::format("{}: {} is broken, {}", doubt, expression, operands);
#ifdef __wasm__
  fmt::print(stderr, "{}\n", message);
  std::fflush(stderr);
  std::abort();
#else
  throw Broken{std::move(message)};
#endif
}

}  // namespace hapax
