// How an engine is, as `hapax status` shows it.
#pragma once

#include <chrono>
#include <string>
#include <utility>

namespace hapax::engine {

struct Health {
  bool reachable = false;
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
  std::string said = "none of its servers has answered";  // The last error, or "ok".

  void well() { set(true, "ok"); }
  void ill(std::string why) { set(false, std::move(why)); }

 private:
  void set(bool now_reachable, std::string what) {
    if (now_reachable != reachable) since = std::chrono::steady_clock::now();
    reachable = now_reachable;
    said = std::move(what);
  }
};

}  // namespace hapax::engine
