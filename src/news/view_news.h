// What people are told of a view that begins: who came, who went and when it was last heard of, and
// how long there was none. Pure: it is told the time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "service/lease_times.h"
#include "view/roll.h"

namespace hapax {

class ViewNews {
 public:
  explicit ViewNews(Instant started) : without_since_(started) {}

  // There is no view now; perhaps known before.
  void stopped(Instant now) {
    if (!without_since_) without_since_ = now;
  }
  // Somebody in the view was heard of then.
  void heard(Life life, Instant when) { heard_[life] = when; }

  struct Begun {
    Span without{};  // A view.
    std::string text;
  };
  // `name_of`: what people call that life, as far as it is known. `why_gone`: more about one that
  // is gone, if there is more to say.
  Begun begun(Instant now, const Roll& roll, const std::function<std::string(Life)>& name_of,
              const std::function<std::string(Life)>& why_gone);

 private:
  std::string changes(Instant now, const std::map<Life, std::string>& next,
                      const std::function<std::string(Life)>& why_gone) const;

  std::optional<Instant> without_since_;  // A view.
  std::map<Life, std::string> members_;   // Of the last view, with their names.
  std::map<Life, Instant> heard_;
};

}  // namespace hapax
