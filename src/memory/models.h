// The shared-memory algorithms as models of atomic steps, by name.
#pragma once

#include <string_view>

#include "memory/bakery_model.h"
#include "memory/dijkstra_model.h"
#include "memory/semaphore_model.h"

namespace hapax {

// Calls f.operator()<M>() for the model of that name; false if there is none.
template <class F>
bool with_memory_model(std::string_view name, F&& f) {
  const auto try_one = [&]<class M>() {
    if (M::kInfo.name != name) return false;
    f.template operator()<M>();
    return true;
  };
  return try_one.template operator()<DijkstraModel>() ||
         try_one.template operator()<BakeryModel>() ||
         try_one.template operator()<SemaphoreModel>();
}

}  // namespace hapax
