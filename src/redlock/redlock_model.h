// Redlock as a model for the search.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "redlock/redlock_scene.h"
#include "search/model.h"

namespace hapax {

class RedlockModel final : public SearchModel {
 public:
  explicit RedlockModel(const RedlockOptions& options);

  std::uint32_t width() const override { return RedlockScene::width(options_); }
  void initial(std::uint64_t* row) override { RedlockScene{}.pack(row, options_); }
  void expand(const std::uint64_t* row, Steps& steps) override;
  // Progress is not asked for: clients that split the servers among them may do so for ever.
  std::uint64_t waits(const std::uint64_t*) const override { return 0; }
  std::optional<std::uint32_t> fair_class(const SearchStep&) const override { return std::nullopt; }
  std::string dead_end(const std::uint64_t*) const override { return ""; }
  std::vector<std::string> tell(const std::vector<SearchStep>& way) override;

 private:
  enum Kind : std::uint8_t {
    begin,
    ask,
    decide,
    raise,
    leave,
    give_back,
    tick,
    pause,
    drift,
    restart
  };
  using Phase = RedlockClient::Phase;

  // Every step that is possible in `scene_`: takes it there, and calls `then` with what is wrong.
  struct Fault {
    std::string_view property;
    std::string text;
  };
  using Then = std::function<void(const SearchStep&, const std::optional<Fault>&)>;
  void each(const Then& then);
  void each_of(std::uint8_t client, const Then& then);
  void take(const SearchStep& step, const Then& then);
  std::optional<Fault> act(const SearchStep& step);
  std::optional<Fault> enter(std::uint8_t client);
  std::optional<Fault> write(RedlockClient& c, std::uint8_t client);
  void try_again(RedlockClient& c);
  std::uint8_t everywhere() const {
    return static_cast<std::uint8_t>((1u << options_.servers) - 1);
  }
  std::string words_for(const SearchStep& step, const RedlockScene& before) const;

  RedlockOptions options_;
  Redlock rule_;
  RedlockScene scene_;
};

}  // namespace hapax
