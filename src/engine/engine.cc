#include "engine/engine.h"

namespace hapax::engine {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::committed:
      return "committed";
    case Outcome::conflict:
      return "conflict";
    case Outcome::unknown:
      return "unknown";
  }
  return "?";
}

}  // namespace hapax::engine
