#include "core/engine/ranks/halo_entries.hpp"

#include <cstddef>
#include <numeric>

#include "core/base/threads/thread_team.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t rows_per_thread = 10000;

/// Of rows that have entries, where each begins; of all rows, `begins`.
template <class T>
void compress_rows(const Buffer<std::int64_t>& begins, std::int64_t first_row,
                   HaloEntries<T>& halo) {
  halo.offsets.push_back(0);
  for (std::size_t row = 0; row + 1 < begins.size(); ++row) {
    if (begins[row + 1] == begins[row]) continue;
    halo.rows.push_back(static_cast<std::int32_t>(static_cast<std::int64_t>(row) - first_row));
    halo.offsets.push_back(begins[row + 1]);
  }
}

}  // namespace

template <class T>
SplitMatrix<T> split_at_halo(const CsrView<T>& matrix, const Segment& own) {
  const auto is_own = [&](std::int64_t k) {
    const std::int32_t column = matrix.column_indices[static_cast<std::size_t>(k)];
    return column >= own.begin_row && column < own.end_row;
  };
  const auto count = static_cast<std::size_t>(matrix.rows) + 1;
  SplitMatrix<T> split;
  split.own.rows = matrix.rows;
  split.own.columns = matrix.columns;
  Buffer<std::int64_t>& offsets = split.own.row_offsets;
  Buffer<std::int64_t> begins(count);  // of what a row has in the halo
  offsets.resize(count);
  offsets[0] = 0;
  begins[0] = 0;
  parallel_for(matrix.rows, rows_per_thread, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t row = first; row < end; ++row) {
      std::int64_t owned = 0;
      for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
        owned += is_own(k) ? 1 : 0;
      }
      const auto next = static_cast<std::size_t>(row) + 1;
      offsets[next] = owned;
      begins[next] = matrix.row_offsets[row + 1] - matrix.row_offsets[row] - owned;
    }
  });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  HaloEntries<T>& halo = split.halo;
  split.own.column_indices.resize(static_cast<std::size_t>(offsets.back()));
  split.own.values.resize(static_cast<std::size_t>(offsets.back()));
  halo.columns.resize(static_cast<std::size_t>(begins.back()));
  halo.values.resize(static_cast<std::size_t>(begins.back()));
  parallel_for(matrix.rows, rows_per_thread, [&](std::int64_t first, std::int64_t end) {
    auto own_at = static_cast<std::size_t>(offsets[static_cast<std::size_t>(first)]);
    auto halo_at = static_cast<std::size_t>(begins[static_cast<std::size_t>(first)]);
    for (std::int64_t k = matrix.row_offsets[first]; k < matrix.row_offsets[end]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (is_own(k)) {
        split.own.column_indices[own_at] = matrix.column_indices[at];
        split.own.values[own_at++] = matrix.values[at];
      } else {
        halo.columns[halo_at] =
            matrix.column_indices[at] - static_cast<std::int32_t>(own.begin_row);
        halo.values[halo_at++] = matrix.values[at];
      }
    }
  });
  compress_rows(begins, own.begin_row, halo);
  return split;
}

template SplitMatrix<float> split_at_halo(const CsrView<float>&, const Segment&);
template SplitMatrix<double> split_at_halo(const CsrView<double>&, const Segment&);

}  // namespace sparsecast
