// What is under way between two processes of a fixed list, as numbered parts: the empty link is 0.
// What was looked up once is not computed again.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "search/parts.h"
#include "view/roll.h"

namespace hapax {

struct ListParcel {
  Life from{};
  std::uint32_t frame = 0;  // By number.
};

class ListLinks {
 public:
  ListLinks() { number_of({}); }

  // REQUIRES: not empty.
  const ListParcel& front(std::uint32_t link) const { return links_[link].front(); }
  bool has_of(std::uint32_t link, Life life) const {
    for (const ListParcel& parcel : links_[link]) {
      if (parcel.from == life) return true;
    }
    return false;
  }

  std::uint32_t with(std::uint32_t link, const ListParcel& parcel) {
    std::uint32_t& known = with_[{link, {number(parcel.from), parcel.frame}}];
    if (known != 0) return known;
    std::vector<ListParcel> longer = links_[link];
    longer.push_back(parcel);
    return known = number_of(longer);
  }
  // Without the oldest.
  std::uint32_t rest(std::uint32_t link) {
    while (rests_.size() <= link) {
      const std::vector<ListParcel>& all = links_[static_cast<std::uint32_t>(rests_.size())];
      rests_.push_back(all.empty() ? 0 : number_of({all.begin() + 1, all.end()}));
    }
    return rests_[link];
  }
  std::uint32_t without(std::uint32_t link, Life life) {
    if (!has_of(link, life)) return link;
    std::vector<ListParcel> fewer = links_[link];
    std::erase_if(fewer, [&](const ListParcel& parcel) { return parcel.from == life; });
    return number_of(fewer);
  }

 private:
  std::uint32_t number_of(const std::vector<ListParcel>& parcels) {
    std::vector<std::uint64_t> key;
    for (const ListParcel& parcel : parcels) {
      key.push_back(number(parcel.from));
      key.push_back(parcel.frame);
    }
    return links_.number_of({reinterpret_cast<const char*>(key.data()), key.size() * sizeof key[0]},
                            [&] { return parcels; });
  }

  Parts<std::vector<ListParcel>> links_;
  using Longer = std::pair<std::uint32_t, std::pair<std::uint64_t, std::uint32_t>>;
  boost::unordered_flat_map<Longer, std::uint32_t> with_;
  std::vector<std::uint32_t> rests_;
};

}  // namespace hapax
