#include "core/matrix/gershgorin.hpp"

#include <cmath>
#include <limits>
#include <mutex>

#include "core/base/threads/thread_team.hpp"

namespace sparsecast {

template <class T>
double gershgorin_bound(const CsrView<T>& matrix, const Segment& rows, bool high,
                        bool of_inverse_diagonal) {
  constexpr std::int64_t rows_per_thread = 20'000;
  const double worst = std::numeric_limits<double>::infinity() * (high ? -1 : 1);
  double bound = worst;
  std::mutex turn;
  parallel_for(rows.rows(), rows_per_thread, [&](std::int64_t begin, std::int64_t end) {
    double mine = worst;
    for (std::int64_t row = rows.begin_row + begin; row < rows.begin_row + end; ++row) {
      double radius = 0;
      double centre = 0;
      for (std::int64_t e = matrix.row_offsets[row]; e < matrix.row_offsets[row + 1]; ++e) {
        const auto value = static_cast<double>(matrix.values[e]);
        if (matrix.column_indices[e] == row) {
          centre = value;
        } else {
          radius += std::abs(value);
        }
      }
      const double scale = of_inverse_diagonal ? 1 / centre : 1;
      const double reach = centre * scale + (high ? radius : -radius) * std::abs(scale);
      if (high ? reach > mine : reach < mine) mine = reach;
    }
    const std::lock_guard lock(turn);
    if (high ? mine > bound : mine < bound) bound = mine;
  });
  return bound;
}

template <class T>
double gershgorin_bound(const CsrView<T>& matrix, bool high, bool of_inverse_diagonal) {
  if (matrix.rows == 0) return 0;
  return gershgorin_bound(matrix, Segment{0, matrix.rows}, high, of_inverse_diagonal);
}

template double gershgorin_bound(const CsrView<float>&, const Segment&, bool, bool);
template double gershgorin_bound(const CsrView<double>&, const Segment&, bool, bool);
template double gershgorin_bound(const CsrView<float>&, bool, bool);
template double gershgorin_bound(const CsrView<double>&, bool, bool);

}  // namespace sparsecast
