// Difference covers: a set D of residues mod n whose differences reach every residue. The n shifts
// of D meet pairwise, so they are voting sets, as small as can be had for any n.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace hapax {

// Whether every residue mod n is a difference of two elements of `cover`.
bool is_difference_cover(const std::vector<std::uint32_t>& cover, std::uint32_t n);

// The points of a line of the projective plane of order q, where n = q²+q+1 and q is a prime power:
// a perfect difference set (J. Singer, "A theorem in finite projective geometry …", Trans. AMS 43,
// 1938). Nothing if n is not of that form.
std::optional<std::vector<std::uint32_t>> singer_difference_set(std::uint32_t n);

// A cover for any n: the lexicographically first smallest one where that is quickly found (n ≤ 40),
// a Singer set where there is one, else a Wichmann ruler (B. Wichmann, "A note on restricted
// difference bases", J. London Math. Soc. 38, 1963), which measures every distance up to n/2 with
// √(3n/2) marks.
std::vector<std::uint32_t> difference_cover(std::uint32_t n);

}  // namespace hapax
