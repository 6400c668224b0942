// Making an algorithm of any kind for a view. Those with more than one form take A{view, options};
// the others only A{view}.
#pragma once

#include "core/view.h"

namespace hapax {

struct NoOptions {};
template <class A>
struct OptionsOf {
  using Type = NoOptions;
};
template <class A>
requires requires { typename A::Options; }
struct OptionsOf<A> {
  using Type = typename A::Options;
};

template <class A>
A make(const View& view, const typename OptionsOf<A>::Type& options = {}) {
  if constexpr (requires { typename A::Options; }) {
    return A{view, options};
  } else {
    return A{view};
  }
}

}  // namespace hapax
