// A vector that counts in 32 bits, and so takes two thirds of a std::vector's own room.
#pragma once

#include <boost/container/options.hpp>
#include <boost/container/vector.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hapax {

// Boost wants the machine's own type where that has 32 bits already.
using SlimSize = std::conditional_t<sizeof(std::size_t) == 4, std::size_t, std::uint32_t>;

template <class T>
using SlimVector = boost::container::vector<
    T, void, boost::container::vector_options_t<boost::container::stored_size<SlimSize>>>;

}  // namespace hapax
