// Singer's construction. With q = p^m, the field of q³ elements is GF(p)[x] modulo a primitive
// polynomial of degree 3m; the powers of x run through all its elements, and those of trace zero
// over GF(q) form a line of the plane. Their exponents mod q²+q+1 are the difference set.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/check.h"
#include "voting/difference_cover.h"

namespace hapax {
namespace {

struct PrimePower {
  std::uint32_t prime;
  std::uint32_t exponent;
};

std::optional<PrimePower> as_prime_power(std::uint32_t q) {
  if (q < 2) return std::nullopt;
  std::uint32_t p = 2;
  while (p * p <= q && q % p != 0) ++p;
  if (q % p != 0) p = q;
  std::uint32_t exponent = 0;
  while (q % p == 0) {
    q /= p;
    ++exponent;
  }
  if (q != 1) return std::nullopt;
  return PrimePower{p, exponent};
}

std::vector<std::uint64_t> prime_factors(std::uint64_t n) {
  std::vector<std::uint64_t> factors;
  for (std::uint64_t p = 2; p * p <= n; ++p) {
    if (n % p != 0) continue;
    factors.push_back(p);
    while (n % p == 0) n /= p;
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

using Element = std::vector<std::uint32_t>;  // Coefficients, lowest first.

// GF(p)[x] modulo x^degree - Σ tail[i]·x^i.
class Field {
 public:
  Field(std::uint32_t p, Element tail) : p_(p), tail_(std::move(tail)) {}

  std::size_t degree() const { return tail_.size(); }

  void times_x(Element& e) const {
    const std::uint64_t top = e.back();
    std::rotate(e.begin(), e.end() - 1, e.end());
    e[0] = 0;
    for (std::size_t i = 0; i < degree(); ++i) {
      e[i] = static_cast<std::uint32_t>((e[i] + top * tail_[i]) % p_);
    }
  }
  Element product(const Element& a, const Element& b) const {
    Element sum(degree(), 0);
    Element shifted = a;
    for (std::size_t i = 0; i < degree(); ++i) {
      for (std::size_t j = 0; j < degree(); ++j) {
        sum[j] = static_cast<std::uint32_t>((sum[j] + std::uint64_t{b[i]} * shifted[j]) % p_);
      }
      times_x(shifted);
    }
    return sum;
  }
  Element power(Element base, std::uint64_t exponent) const {
    Element result = one();
    for (; exponent > 0; exponent >>= 1) {
      if ((exponent & 1) != 0) result = product(result, base);
      base = product(base, base);
    }
    return result;
  }
  Element one() const {
    Element e(degree(), 0);
    e[0] = 1;
    return e;
  }
  Element x() const {
    Element e = one();
    times_x(e);
    return e;
  }
  // x generates all p^degree - 1 nonzero elements, which makes the polynomial primitive.
  bool x_is_primitive(std::uint64_t order, const std::vector<std::uint64_t>& factors) const {
    if (tail_[0] == 0 || power(x(), order) != one()) return false;
    return std::none_of(factors.begin(), factors.end(),
                        [&](std::uint64_t f) { return power(x(), order / f) == one(); });
  }

 private:
  std::uint32_t p_;
  Element tail_;
};

Field primitive_field(std::uint32_t p, std::size_t degree, std::uint64_t order) {
  const std::vector<std::uint64_t> factors = prime_factors(order);
  for (Element tail(degree, 0);;) {
    std::size_t i = 0;  // Count up through all polynomials; primitive ones are frequent.
    while (++tail[i] == p) {
      tail[i++] = 0;
      HAPAX_CHECK(i < degree);
    }
    if (Field field{p, tail}; field.x_is_primitive(order, factors)) return field;
  }
}

}  // namespace

std::optional<std::vector<std::uint32_t>> singer_difference_set(std::uint32_t n) {
  std::uint32_t q = 1;
  while (std::uint64_t{q} * q + q + 1 < n) ++q;
  if (std::uint64_t{q} * q + q + 1 != n) return std::nullopt;
  if (q == 1) return std::vector<std::uint32_t>{0, 1};  // The triangle: lines of two points.
  const auto prime_power = as_prime_power(q);
  if (!prime_power) return std::nullopt;

  const std::uint64_t order = std::uint64_t{q} * q * q - 1;
  const std::size_t degree = 3 * std::size_t{prime_power->exponent};
  const Field field = primitive_field(prime_power->prime, degree, order);

  // The trace is linear over GF(p), so knowing it on the basis 1, x, x², … is enough.
  std::vector<Element> basis_trace;
  Element basis = field.one();
  for (std::size_t i = 0; i < degree; ++i) {
    Element trace = basis;
    Element conjugate = basis;
    for (int k = 0; k < 2; ++k) {
      conjugate = field.power(conjugate, q);
      for (std::size_t j = 0; j < degree; ++j) {
        trace[j] = (trace[j] + conjugate[j]) % prime_power->prime;
      }
    }
    basis_trace.push_back(trace);
    field.times_x(basis);
  }
  const auto has_trace_zero = [&](const Element& e) {
    for (std::size_t j = 0; j < degree; ++j) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < degree; ++i) sum += std::uint64_t{e[i]} * basis_trace[i][j];
      if (sum % prime_power->prime != 0) return false;
    }
    return true;
  };

  std::vector<std::uint32_t> line;
  Element e = field.one();
  for (std::uint32_t i = 0; i < n; ++i) {
    if (has_trace_zero(e)) line.push_back(i);
    field.times_x(e);
  }
  HAPAX_CHECK(line.size() == q + 1);
  // Shifted to begin at 0, so that every point lies on its own line.
  const std::uint32_t first = line.front();
  for (std::uint32_t& point : line) point -= first;
  HAPAX_CHECK(is_difference_cover(line, n));
  return line;
}

}  // namespace hapax
