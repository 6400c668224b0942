// What the kernel calls the descriptors of a loop. Its events may be read after a descriptor is
// gone and its place was given to another: such a name is no longer known.
#pragma once

#include <cstdint>
#include <vector>

namespace hapax {

class Descriptor;

class Places {
 public:
  std::uint64_t give(Descriptor& who) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(places_.size()));
      places_.emplace_back();
    }
    const std::uint32_t at = free_.back();
    free_.pop_back();
    places_[at].who = &who;
    return std::uint64_t{++places_[at].uses} << 32 | at;
  }
  void take_back(std::uint64_t name) {
    const auto at = static_cast<std::uint32_t>(name);
    places_[at].who = nullptr;
    free_.push_back(at);
  }
  // Null: it is gone.
  Descriptor* find(std::uint64_t name) const {
    const Place& place = places_[static_cast<std::uint32_t>(name)];
    return place.uses == name >> 32 ? place.who : nullptr;
  }
  template <class F>
  void for_each(F&& f) const {
    for (const Place& place : places_) {
      if (place.who != nullptr) f(*place.who);
    }
  }

 private:
  struct Place {
    Descriptor* who = nullptr;  // Null: free.
    std::uint32_t uses = 0;
  };

  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
};

}  // namespace hapax
