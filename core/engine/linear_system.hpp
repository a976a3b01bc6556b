#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/engine/ranks/rank_part.hpp"
#include "core/matrix/csr.hpp"

/// @file
/// What every solve of A x = b looks at, before and behind. With a `part` the system is shared by
/// ranks, which all call these functions: matrix and vectors are in the numbers of the part, values
/// of the halo do not matter, and what is returned is of the whole system.

namespace sparsecast {

/// Throws `Error` unless the matrix is square, its arrays fit together, and b and x have so many
/// values as it has rows.
template <class T>
void require_shapes(const CsrView<T>& matrix, std::size_t b, std::size_t x);

/// A vector in the numbers of a part, with the values of its halo as their ranks have them; without
/// a part, the vector.
template <class T>
std::vector<T> with_halo(std::span<const T> values, const RankPart* part);

/// Whether no value is infinite or NaN.
template <class T>
bool all_finite(std::span<const T> values, const RankPart* part = nullptr);

/// sqrt(v.v), in double.
template <class T>
double norm(std::span<const T> values, const RankPart* part = nullptr);

/// ||b - A x|| in double, whatever the precision of the system.
template <class T>
double residual_norm(const CsrView<T>& matrix, std::span<const T> b, std::span<const T> x,
                     const RankPart* part = nullptr);

/// sqrt(r.D^-1 r) of the same residual r, D being the matrix's diagonal, none of it 0.
template <class T>
double preconditioned_residual_norm(const CsrView<T>& matrix, std::span<const T> b,
                                    std::span<const T> x, std::span<const double> diagonal,
                                    const RankPart* part = nullptr);

/// The smallest and the largest of numbers of all rows; infinite where there are none.
struct Extremes {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
};
Extremes extremes(std::span<const double> values, const RankPart* part = nullptr);

}  // namespace sparsecast
