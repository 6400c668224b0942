// A fixed list that changes its views, with an algorithm inside, as a model for the search. A state
// is a row of numbers: one for each process, one for each link, one for what all share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/instance.h"
#include "search/model.h"
#include "search/parts.h"
#include "viewcheck/list_scene.h"

namespace hapax {

class ListModel final : public SearchModel {
 public:
  ListModel(const Operations& algorithm, const ListCheckOptions& options);

  std::uint32_t width() const override { return (parts() + 1) / 2; }
  void initial(std::uint64_t* row) override { pack(row); }
  void expand(const std::uint64_t* row, Steps& steps) override;
  std::uint64_t waits(const std::uint64_t* row) const override;
  std::string dead_end(const std::uint64_t* row) const override;
  std::optional<std::uint32_t> fair_class(const SearchStep& step) const override;
  std::vector<std::string> tell(const std::vector<SearchStep>& way) override;

 private:
  std::uint32_t parts() const { return n_ + n_ * n_ + 1; }
  void pack(std::uint64_t* row);
  void unpack(const std::uint64_t* row);
  std::uint32_t number_at(const std::uint64_t* row, std::uint32_t part) const;
  void expand_process(const std::uint64_t* row, Steps& steps, std::uint32_t i);
  void step(const std::uint64_t* row, Steps& steps, const SearchStep& step,
            const std::function<void()>& act);
  std::string tell(const SearchStep& step) const;
  std::string tell_frame(std::uint32_t link) const;
  template <class T>
  std::uint32_t number_of(Parts<T>& parts, const T& value);

  ListCheckOptions options_;
  std::uint32_t n_;
  ListScene scene_;
  Parts<ListProcess> processes_;
  Parts<ListScene::Link> links_;
  Parts<ListCommons> commons_;
  std::vector<std::uint64_t> packed_;
  Bytes key_;
};

}  // namespace hapax
