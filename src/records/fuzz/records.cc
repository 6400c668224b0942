// Records of a group's engine that anybody may have written.
//
// An input is lines of KEY=VALUE. What is understood must survive what the members do with it:
// joining, beating, a new view, an eviction.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/check.h"
#include "base/testing/fuzz.h"
#include "engine/store.h"
#include "records/directory.h"

namespace hapax {
namespace {

engine::Store store_of(std::string_view text) {
  engine::Store store;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t end = line.find('=');
    if (end == 0 || end == std::string_view::npos) continue;
    (void)store.commit({}, {{std::string{line.substr(0, end)}, std::string{line.substr(end + 1)}}});
  }
  return store;
}

void change(engine::Store& store, const Change& wanted) {
  (void)store.commit(wanted.conditions, wanted.writes);
  HAPAX_CHECK(directory_of(store.read({""})).has_value());
}

}  // namespace
}  // namespace hapax

HAPAX_FUZZ(records, 5'000) {
  using namespace hapax;
  engine::Store store = store_of({reinterpret_cast<const char*>(input.data()), input.size()});
  const Result<Directory> directory = directory_of(store.read({""}));
  if (!directory) {
    HAPAX_CHECK(!directory.error().message.empty());
    return;
  }
  HAPAX_CHECK(directory->lives.size() >= directory->reg.beats.size());
  for (const Enlisted& life : directory->lives) change(store, beating(life));
  if (const auto seat = directory->free_seat(); seat && !directory->differs_from("mine")) {
    const Enlisted me{Life{directory->last_life + 1}, *seat, "a:1", "me"};
    change(store, enlisting(*directory, me, "mine"));
  }
  for (const Enlisted& life : directory->lives) {
    change(store, evicting(life.life, "somebody"));
    change(store, striking(life));
  }
}
