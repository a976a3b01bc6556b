#include "core/engine/linear_system.hpp"

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t rows_per_thread = 10'000;

/// b - A x in double.
template <class T>
std::vector<double> residual_of(const CsrView<T>& matrix, std::span<const T> b,
                                std::span<const T> x) {
  std::vector<double> residual(b.size());
  parallel_for(matrix.rows, rows_per_thread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      double value = b[row];
      for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
        value -= static_cast<double>(matrix.values[k]) * x[matrix.column_indices[k]];
      }
      residual[row] = value;
    }
  });
  return residual;
}

}  // namespace

template <class T>
void require_shapes(const CsrView<T>& matrix, std::size_t b, std::size_t x) {
  const auto text = [](auto number) { return std::to_string(number); };
  if (matrix.rows != matrix.columns) {
    throw Error("a matrix of " + text(matrix.rows) + " rows and " + text(matrix.columns) +
                " columns; a solve needs a square one");
  }
  const auto rows = static_cast<std::size_t>(matrix.rows);
  if (matrix.row_offsets.size() != rows + 1) {
    throw Error("a matrix of " + text(rows) + " rows with " + text(matrix.row_offsets.size()) +
                " row offsets; expected " + text(rows + 1));
  }
  if (matrix.values.size() != matrix.column_indices.size()) {
    throw Error("a matrix with " + text(matrix.values.size()) + " values and " +
                text(matrix.column_indices.size()) + " column indices; expected as many");
  }
  if (b != rows || x != rows) {
    throw Error("a system of " + text(rows) + " rows with a right-hand side of " + text(b) +
                " and a solution of " + text(x) + " values");
  }
}

template <class T>
bool all_finite(std::span<const T> values) {
  std::atomic<bool> finite{true};
  parallel_for(static_cast<std::int64_t>(values.size()), 10 * rows_per_thread,
               [&](std::int64_t begin, std::int64_t end) {
                 // 0 * v is 0 unless v is infinite or NaN.
                 T sum = 0;
                 for (std::int64_t i = begin; i < end; ++i) sum += 0 * values[i];
                 if (sum != 0) finite = false;
               });
  return finite;
}

template <class T>
double norm(std::span<const T> values) {
  double sum = 0;
  for (const T value : values) sum += static_cast<double>(value) * value;
  return std::sqrt(sum);
}

template <class T>
double residual_norm(const CsrView<T>& matrix, std::span<const T> b, std::span<const T> x) {
  return norm(std::span<const double>(residual_of(matrix, b, x)));
}

template <class T>
double preconditioned_residual_norm(const CsrView<T>& matrix, std::span<const T> b,
                                    std::span<const T> x, std::span<const double> diagonal) {
  const std::vector<double> residual = residual_of(matrix, b, x);
  double sum = 0;
  for (std::size_t i = 0; i < residual.size(); ++i) sum += residual[i] * residual[i] / diagonal[i];
  return std::sqrt(sum);
}

template void require_shapes(const CsrView<float>&, std::size_t, std::size_t);
template bool all_finite(std::span<const float>);
template double norm(std::span<const float>);
template double residual_norm(const CsrView<float>&, std::span<const float>,
                              std::span<const float>);
template double preconditioned_residual_norm(const CsrView<float>&, std::span<const float>,
                                             std::span<const float>, std::span<const double>);
template void require_shapes(const CsrView<double>&, std::size_t, std::size_t);
template bool all_finite(std::span<const double>);
template double norm(std::span<const double>);
template double residual_norm(const CsrView<double>&, std::span<const double>,
                              std::span<const double>);
template double preconditioned_residual_norm(const CsrView<double>&, std::span<const double>,
                                             std::span<const double>, std::span<const double>);

}  // namespace sparsecast
