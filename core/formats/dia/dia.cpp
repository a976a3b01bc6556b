#include "core/formats/dia/dia.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <string>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t rows_per_part = 4096;

}  // namespace

std::vector<std::int64_t> occupied_diagonals(const PatternView& matrix, const Segment& segment,
                                             int threads) {
  require_segment(segment, matrix.rows);
  // Diagonal d of the segment, column - row, has the bit d + segment.end_row - 1.
  const std::int64_t shift = segment.end_row - 1;
  const std::int64_t bits = segment.rows() == 0 ? 0 : matrix.columns + segment.rows();
  std::vector<std::uint64_t> occupied(static_cast<std::size_t>((bits + 63) / 64));
  std::mutex mutex;
  parallel_for(
      segment.rows(), std::max(rows_per_part, segment.rows() / 64),
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::uint64_t> mine(occupied.size());
        for (std::int64_t row = segment.begin_row + begin; row < segment.begin_row + end; ++row) {
          const std::int64_t last = matrix.row_offsets[row + 1];
          for (std::int64_t k = matrix.row_offsets[row]; k < last; ++k) {
            const std::int64_t bit = matrix.column_indices[k] - row + shift;
            mine[bit >> 6] |= std::uint64_t{1} << (bit & 63);
          }
        }
        const std::lock_guard<std::mutex> lock(mutex);
        for (std::size_t word = 0; word < occupied.size(); ++word) occupied[word] |= mine[word];
      },
      threads);
  std::vector<std::int64_t> diagonals;
  for (std::size_t word = 0; word < occupied.size(); ++word) {
    for (std::uint64_t left = occupied[word]; left != 0; left &= left - 1) {
      diagonals.push_back(static_cast<std::int64_t>(word) * 64 + std::countr_zero(left) - shift);
    }
  }
  return diagonals;
}

std::string dia_refusal(std::int64_t rows, std::int64_t nonzeros, std::int64_t diagonals) {
  if (diagonals <= most_diagonals(rows, nonzeros)) return "";
  return "layout dia: the nonzeros lie on " + std::to_string(diagonals) +
         " diagonals, which take " +
         std::to_string(diagonals * dia_stride(rows) / std::max<std::int64_t>(nonzeros, 1)) +
         " times as many values (at most " + std::to_string(most_fill) +
         " times could pay); use csr";
}

void require_dia_fits(std::int64_t rows, std::int64_t nonzeros, std::int64_t diagonals) {
  const std::string refusal = dia_refusal(rows, nonzeros, diagonals);
  if (!refusal.empty()) throw Error(refusal);
}

template <class T>
DiaMatrix<T> convert_to_dia(const CsrView<T>& matrix, const Segment& segment, int threads) {
  DiaMatrix<T> result;
  result.rows = segment.rows();
  result.columns = matrix.columns;
  result.first_row = segment.begin_row;
  result.stride = dia_stride(result.rows);
  result.offsets = occupied_diagonals(matrix.pattern(), segment, threads);
  require_dia_fits(result.rows, segment.nonzeros(matrix.row_offsets), result.diagonals());
  result.values.resize(static_cast<std::size_t>(result.diagonals() * result.stride));
  parallel_for(
      result.stride, rows_per_part,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = 0; k < result.diagonals(); ++k) {
          std::fill(result.values.begin() + k * result.stride + begin,
                    result.values.begin() + k * result.stride + end, T{0});
        }
        for (std::int64_t i = begin; i < std::min(end, result.rows); ++i) {
          const std::int64_t row = segment.begin_row + i;
          // Columns rise within a row as the diagonals do.
          std::size_t k = 0;
          const std::int64_t last = matrix.row_offsets[row + 1];
          for (std::int64_t e = matrix.row_offsets[row]; e < last; ++e) {
            const std::int64_t diagonal = matrix.column_indices[e] - row;
            k = std::lower_bound(result.offsets.begin() + k, result.offsets.end(), diagonal) -
                result.offsets.begin();
            result.values[k * result.stride + i] = matrix.values[e];
          }
        }
      },
      threads);
  return result;
}

SegmentShape dia_shape(double rows, double columns, double diagonals) {
  SegmentShape shape;
  shape.unknowns = rows;
  shape.total_unknowns = columns;
  shape.elements = diagonals * static_cast<double>(dia_stride(static_cast<std::int64_t>(rows)));
  shape.blocks = shape.elements;
  shape.block_rows = rows;
  shape.index_bytes = 0;
  shape.offset_bytes = 0;
  return shape;
}

template DiaMatrix<float> convert_to_dia(const CsrView<float>&, const Segment&, int);
template DiaMatrix<double> convert_to_dia(const CsrView<double>&, const Segment&, int);

}  // namespace sparsecast
