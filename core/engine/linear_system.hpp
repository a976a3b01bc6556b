#pragma once

#include <cstddef>
#include <span>

#include "core/matrix/csr.hpp"

/// @file
/// What every solve of A x = b looks at, before and behind.

namespace sparsecast {

/// Throws `Error` unless the matrix is square, its arrays fit together, and b and x have so many
/// values as it has rows.
template <class T>
void require_shapes(const CsrView<T>& matrix, std::size_t b, std::size_t x);

/// Whether no value is infinite or NaN.
template <class T>
bool all_finite(std::span<const T> values);

/// sqrt(v.v), in double.
template <class T>
double norm(std::span<const T> values);

/// ||b - A x|| in double, whatever the precision of the system.
template <class T>
double residual_norm(const CsrView<T>& matrix, std::span<const T> b, std::span<const T> x);

/// sqrt(r.D^-1 r) of the same residual r, D being the matrix's diagonal, none of it 0.
template <class T>
double preconditioned_residual_norm(const CsrView<T>& matrix, std::span<const T> b,
                                    std::span<const T> x, std::span<const double> diagonal);

}  // namespace sparsecast
