#include "core/engine/linear_system.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t rows_per_thread = 10'000;

/// The places of the own rows: all of them, without a part.
Segment own_rows(std::int64_t rows, const RankPart* part) {
  return part != nullptr ? part->own : Segment{0, rows};
}

/// Of all ranks.
double whole_sum(double mine, const RankPart* part) {
  return part != nullptr ? part->ranks->sum(mine) : mine;
}

/// b - A x in double, of the own rows.
template <class T>
std::vector<double> residual_of(const CsrView<T>& matrix, std::span<const T> b,
                                std::span<const T> x, const RankPart* part) {
  std::vector<T> whole;
  if (part != nullptr) {
    whole = with_halo(x, part);
    x = whole;
  }
  const Segment own = own_rows(matrix.rows, part);
  std::vector<double> residual(static_cast<std::size_t>(own.rows()));
  parallel_for(own.rows(), rows_per_thread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = own.begin_row + i;
      double value = b[row];
      for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
        value -= static_cast<double>(matrix.values[k]) * x[matrix.column_indices[k]];
      }
      residual[i] = value;
    }
  });
  return residual;
}

template <class T>
double sum_of_squares(std::span<const T> values) {
  double sum = 0;
  for (const T value : values) sum += static_cast<double>(value) * value;
  return sum;
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
std::vector<T> with_halo(std::span<const T> values, const RankPart* part) {
  std::vector<T> whole(values.begin(), values.end());
  if (part == nullptr) return whole;
  Buffer<T> packed;
  fetch_halo(*part, values.subspan(part->own.begin_row, part->own.rows()), whole.data(), packed);
  return whole;
}

template <class T>
bool all_finite(std::span<const T> values, const RankPart* part) {
  std::atomic<bool> finite{true};
  parallel_for(static_cast<std::int64_t>(values.size()), 10 * rows_per_thread,
               [&](std::int64_t begin, std::int64_t end) {
                 // 0 * v is 0 unless v is infinite or NaN.
                 T sum = 0;
                 for (std::int64_t i = begin; i < end; ++i) sum += 0 * values[i];
                 if (sum != 0) finite = false;
               });
  return part != nullptr ? !part->ranks->any(!finite) : finite.load();
}

template <class T>
double norm(std::span<const T> values, const RankPart* part) {
  const Segment own = own_rows(std::ssize(values), part);
  return std::sqrt(whole_sum(sum_of_squares(values.subspan(own.begin_row, own.rows())), part));
}

template <class T>
double residual_norm(const CsrView<T>& matrix, std::span<const T> b, std::span<const T> x,
                     const RankPart* part) {
  const std::vector<double> residual = residual_of(matrix, b, x, part);
  return std::sqrt(whole_sum(sum_of_squares(std::span(residual)), part));
}

template <class T>
double preconditioned_residual_norm(const CsrView<T>& matrix, std::span<const T> b,
                                    std::span<const T> x, std::span<const double> diagonal,
                                    const RankPart* part) {
  const std::vector<double> residual = residual_of(matrix, b, x, part);
  const auto own = diagonal.subspan(own_rows(matrix.rows, part).begin_row);
  double sum = 0;
  for (std::size_t i = 0; i < residual.size(); ++i) sum += residual[i] * residual[i] / own[i];
  return std::sqrt(whole_sum(sum, part));
}

Extremes extremes(std::span<const double> values, const RankPart* part) {
  const Segment own = own_rows(std::ssize(values), part);
  Extremes found;
  for (const double value : values.subspan(own.begin_row, own.rows())) {
    found.least = std::min(found.least, value);
    found.most = std::max(found.most, value);
  }
  if (part != nullptr) {
    found.least = part->ranks->minimum(found.least);
    found.most = part->ranks->maximum(found.most);
  }
  return found;
}

template void require_shapes(const CsrView<float>&, std::size_t, std::size_t);
template std::vector<float> with_halo(std::span<const float>, const RankPart*);
template std::vector<double> with_halo(std::span<const double>, const RankPart*);
template bool all_finite(std::span<const float>, const RankPart*);
template double norm(std::span<const float>, const RankPart*);
template double residual_norm(const CsrView<float>&, std::span<const float>, std::span<const float>,
                              const RankPart*);
template double preconditioned_residual_norm(const CsrView<float>&, std::span<const float>,
                                             std::span<const float>, std::span<const double>,
                                             const RankPart*);
template void require_shapes(const CsrView<double>&, std::size_t, std::size_t);
template bool all_finite(std::span<const double>, const RankPart*);
template double norm(std::span<const double>, const RankPart*);
template double residual_norm(const CsrView<double>&, std::span<const double>,
                              std::span<const double>, const RankPart*);
template double preconditioned_residual_norm(const CsrView<double>&, std::span<const double>,
                                             std::span<const double>, std::span<const double>,
                                             const RankPart*);

}  // namespace sparsecast
