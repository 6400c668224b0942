// match(variant, handlers…): a visit that stops compiling when an alternative is added and not
// handled.
#pragma once

#include <utility>
#include <variant>

namespace hapax {

template <class... Handlers>
struct Handler : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Handler(Handlers...) -> Handler<Handlers...>;

template <class Variant, class... Handlers>
decltype(auto) match(Variant&& variant, Handlers&&... handlers) {
  return std::visit(Handler{std::forward<Handlers>(handlers)...}, std::forward<Variant>(variant));
}

}  // namespace hapax
