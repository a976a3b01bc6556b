#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/base/round_up.hpp"
#include "core/formats/most_stored.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// The diagonal format (Bell and Garland 2008, section 3.1): every diagonal that has an entry is
/// stored whole, so that neither columns nor row offsets are.

namespace sparsecast {

/// A segment of a matrix, diagonal by diagonal: value i of diagonal k, `values[k * stride + i]`, is
/// the entry of the segment's row i in the column `i + offsets[k]` of the segment, which counts
/// from the segment's first row. Entries that the matrix does not have are 0, those beyond its
/// columns and the padding behind the last row too.
template <class T>
struct DiaMatrix {
  std::int64_t rows = 0;              ///< of the segment
  std::int64_t columns = 0;           ///< of the whole matrix
  std::int64_t first_row = 0;         ///< of the segment
  std::int64_t stride = 0;            ///< `dia_stride(rows)`
  std::vector<std::int64_t> offsets;  ///< rising
  Buffer<T> values;

  std::int64_t diagonals() const { return static_cast<std::int64_t>(offsets.size()); }
};

/// Values that a diagonal of so many rows takes: whole groups of 64, so that each diagonal begins
/// where a cache line does.
constexpr std::int64_t dia_stride(std::int64_t rows) {
  return round_up(rows, 64);
}

/// The diagonals of a segment's rows that have an entry: column minus row of the whole matrix,
/// rising. In O(nonzeros), on `threads` threads (0: all); takes a bit a row and a column for each
/// thread.
std::vector<std::int64_t> occupied_diagonals(const PatternView& matrix, const Segment& segment,
                                             int threads = 0);

/// The most diagonals that are stored of a segment of so many rows and nonzeros: no more than could
/// ever pay, which take more values than `most_stored_values`.
constexpr std::int64_t most_diagonals(std::int64_t rows, std::int64_t nonzeros) {
  if (rows == 0) return 0;
  return most_stored_values(nonzeros) / dia_stride(rows);
}

/// Why so many diagonals are not stored, and what to use instead; empty where they are.
std::string dia_refusal(std::int64_t rows, std::int64_t nonzeros, std::int64_t diagonals);
/// Throws `Error` with that where there is one.
void require_dia_fits(std::int64_t rows, std::int64_t nonzeros, std::int64_t diagonals);

/// Converts one segment on `threads` threads (0: all). Throws `Error` for a segment outside the
/// matrix, and like `require_dia_fits`.
template <class T>
DiaMatrix<T> convert_to_dia(const CsrView<T>& matrix, const Segment& segment, int threads = 0);

/// The size of a segment of so many rows with so many diagonals.
SegmentShape dia_shape(double rows, double columns, double diagonals);

}  // namespace sparsecast
