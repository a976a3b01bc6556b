#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "core/base/random_stream.hpp"
#include "predict/validation/validation_supply.hpp"

/// @file
/// What sets of generated matrices for validation are put together from.

namespace sparsecast {

using Make = std::function<CsrMatrix<double>(int threads)>;

/// A matrix of a family, not yet made.
struct Recipe {
  std::string name;
  double nonzeros = 0;
  Make make;
};

/// A kind of matrix that can be made with about so many nonzeros. `structured`: a mesh, whose
/// numbering matters.
struct Family {
  std::function<Recipe(double nonzeros, std::uint64_t seed)> recipe;
  bool structured = true;
};

/// At least `least`.
inline std::int64_t rounded(double number, std::int64_t least) {
  return std::max(least, static_cast<std::int64_t>(std::llround(number)));
}

/// Without zeros at the end.
inline std::string text(double number) {
  std::string digits = std::to_string(number);
  while (digits.ends_with('0')) digits.pop_back();
  if (digits.ends_with('.')) digits.pop_back();
  return digits;
}

/// Makes the numbers that describe families differ from those of the first seed.
class Variation {
 public:
  explicit Variation(std::uint64_t seed) : seed_(seed) {}

  /// About 0.7 to 1.4 times the first seed's number, the same for all that are equal.
  double operator()(double first) const {
    if (seed_ == 1 || first == 0) return first;
    const double part =
        unit_interval(scramble(scramble(seed_) ^ std::bit_cast<std::uint64_t>(first)));
    constexpr double steps = 1000;  // names stay short
    return std::ceil(steps * first * std::exp2(part - 0.5)) / steps;
  }

  std::array<double, 3> operator()(std::array<double, 3> ratios) const {
    for (double& ratio : ratios) ratio = (*this)(ratio);
    return ratios;
  }

 private:
  std::uint64_t seed_;
};

/// Nonzeros of the matrices in a stratum, such that the working set of the fused schedule in f64
/// (about 12 to 20 bytes a nonzero) lies in it.
struct Sizes {
  double least;
  double most;
  int of_each_family;

  /// Of a family's matrix number i, spread evenly in the logarithm.
  double nonzeros(int i, RandomStream& random) const {
    const double part = (i + random.uniform()) / of_each_family;
    return least * std::pow(most / least, part);
  }
};
using Strata = std::array<Sizes, 4>;
inline constexpr Strata strata_for_one{
    {{1500, 2.2e5, 2}, {4.5e5, 1.8e6, 2}, {3.3e6, 7e6, 2}, {1.4e7, 3.6e7, 1}}};

/// Structured matrices of up to so many nonzeros are also renumbered.
inline constexpr double most_renumbered = 2e6;

/// What makes it; in other orders too where `renumber` says so and it is not too large.
inline ValidationSource source_of(Recipe recipe, bool renumber) {
  ValidationSource source;
  source.name = recipe.name;
  source.nonzeros = recipe.nonzeros;
  source.generated = true;
  if (renumber && recipe.nonzeros <= most_renumbered) {
    source.renumberings = {Renumbering::none, Renumbering::random, Renumbering::rcm};
  }
  source.load = [recipe = std::move(recipe)](int threads) {
    return ValidationMatrix{recipe.name, recipe.make(threads), false};
  };
  return source;
}

}  // namespace sparsecast
