#include "core/matrix/diagonal.hpp"

#include <algorithm>

#include "core/base/threads/thread_team.hpp"

namespace sparsecast {

template <class T>
std::vector<double> diagonal(const CsrView<T>& matrix) {
  std::vector<double> values(static_cast<std::size_t>(matrix.rows), 0);
  parallel_for(matrix.rows, diagonal_rows_per_thread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const auto columns = matrix.column_indices.begin();
      const auto last = columns + matrix.row_offsets[row + 1];
      const auto found = std::lower_bound(columns + matrix.row_offsets[row], last, row);
      if (found != last && *found == row) values[row] = matrix.values[found - columns];
    }
  });
  return values;
}

template std::vector<double> diagonal(const CsrView<float>&);
template std::vector<double> diagonal(const CsrView<double>&);

}  // namespace sparsecast
