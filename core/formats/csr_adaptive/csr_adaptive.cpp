#include "core/formats/csr_adaptive/csr_adaptive.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/threads/thread_team.hpp"

namespace sparsecast {
namespace {

RowOffsets offsets_of(const RowOffsets& of_matrix, const Segment& segment) {
  return of_matrix.subspan(static_cast<std::size_t>(segment.begin_row),
                           static_cast<std::size_t>(segment.rows()) + 1);
}

/// The row blocks of a segment, columns included, one behind the other.
Buffer<RowBlock> cut_row_blocks(const PatternView& matrix, const Segment& segment, int threads) {
  require_segment(segment, matrix.rows);
  Buffer<RowBlock> found(1);
  found[0] = {};
  if (segment.rows() == 0) return found;
  const RowOffsets offsets = offsets_of(matrix.row_offsets, segment);
  const std::int64_t cuts = (segment.rows() + rows_cut_together - 1) / rows_cut_together;
  Buffer<std::int64_t> first_block(static_cast<std::size_t>(cuts) + 1);
  const auto for_cuts = [&](const auto& body) {
    parallel_for(
        cuts, 1,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t cut = begin; cut < end; ++cut) {
            const std::int64_t row = cut * rows_cut_together;
            body(cut,
                 RowBlockCutter(offsets, row, std::min(segment.rows(), row + rows_cut_together)));
          }
        },
        threads);
  };
  for_cuts([&](std::int64_t cut, RowBlockCutter<RowOffsets> cutter) {
    std::int64_t count = 0;
    for (; !cutter.done(); ++count) cutter.next();
    first_block[cut] = count;
  });
  std::int64_t blocks = 0;
  for (std::int64_t& first : first_block) {
    const std::int64_t count = &first == &first_block[cuts] ? 0 : first;
    first = blocks;
    blocks += count;
  }
  found.resize(static_cast<std::size_t>(blocks));
  for_cuts([&](std::int64_t cut, RowBlockCutter<RowOffsets> cutter) {
    for (std::int64_t b = first_block[cut]; !cutter.done(); ++b) {
      RowBlock block = cutter.next();
      if (block.entries > 0) {
        const auto columns = matrix.column_indices.subspan(
            static_cast<std::size_t>(offsets[0] + block.first_entry), block.entries);
        const auto [least, most] = std::ranges::minmax(columns);
        block.base = static_cast<std::int32_t>(least - segment.begin_row);
        block.column_bytes = row_block_column_bytes(static_cast<std::uint32_t>(most - least));
      }
      found[b] = block;
    }
  });
  std::uint32_t units = 0;
  for (RowBlock& block : found) {
    block.first_column_unit = units;
    units += block.column_units();
  }
  return found;
}

AdaptiveSize size_of(const Buffer<RowBlock>& blocks) {
  return {static_cast<std::int64_t>(blocks.size()),
          std::int64_t{blocks.back().first_column_unit} + blocks.back().column_units()};
}

template <class Column>
void store_columns(const RowBlock& block, std::int64_t first_row, const std::int32_t* columns,
                   std::uint8_t* to) {
  to += block.lead() * sizeof(Column);
  for (int k = 0; k < block.entries; ++k) {
    const auto difference = static_cast<std::uint32_t>(columns[k] - first_row - block.base);
    for (std::size_t byte = 0; byte < sizeof(Column); ++byte) {
      *to++ = static_cast<std::uint8_t>(difference >> (8 * byte));
    }
  }
}

}  // namespace

AdaptiveSize adaptive_size(const PatternView& matrix, const Segment& segment, int threads) {
  return size_of(cut_row_blocks(matrix, segment, threads));
}

AdaptiveSize most_adaptive_size(std::int64_t rows, std::int64_t nonzeros) {
  // A block ends with its cut, with all rows that it may have, or in front of a row that would make
  // it too long; at worst rows just too long for one, with what is left of them and few rows
  // between, are three blocks each.
  AdaptiveSize size;
  size.blocks = 3 * (nonzeros / most_entries_of_row_block + 1) + rows / rows_cut_together + 1 +
                rows / most_rows_of_row_block;
  // In front of each block there may be nearly four units of padding, behind it nearly one.
  size.column_units =
      (nonzeros * std::int64_t{sizeof(std::int32_t)}) / column_unit_bytes + 5 * size.blocks;
  return size;
}

template <class T>
AdaptiveMatrix<T> convert_to_adaptive(const CsrView<T>& matrix, const Segment& segment,
                                      int threads) {
  AdaptiveMatrix<T> result;
  result.rows = segment.rows();
  result.columns = matrix.columns;
  result.first_row = segment.begin_row;
  result.blocks = cut_row_blocks(matrix.pattern(), segment, threads);
  const RowOffsets offsets = offsets_of(matrix.row_offsets, segment);
  const std::int64_t nonzeros = segment.nonzeros(matrix.row_offsets);
  result.row_ends.resize(static_cast<std::size_t>(result.rows));
  result.values.resize(static_cast<std::size_t>(nonzeros));
  result.column_bytes.resize(
      static_cast<std::size_t>(size_of(result.blocks).column_units * column_unit_bytes));
  constexpr std::int64_t blocks_of_part = 64;
  parallel_for(
      std::ssize(result.blocks), blocks_of_part,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t b = begin; b < end; ++b) {
          const RowBlock& block = result.blocks[b];
          const std::int64_t first = offsets[0] + block.first_entry;
          std::copy_n(matrix.values.data() + first, block.entries,
                      result.values.data() + block.first_entry);
          std::uint8_t* const columns = result.column_bytes.data() +
                                        std::int64_t{block.first_column_unit} * column_unit_bytes;
          std::fill_n(columns, std::int64_t{block.column_units()} * column_unit_bytes,
                      std::uint8_t{0});
          const std::int32_t* const from = matrix.column_indices.data() + first;
          if (block.column_bytes == 2) {
            store_columns<std::uint16_t>(block, segment.begin_row, from, columns);
          } else {
            store_columns<std::uint32_t>(block, segment.begin_row, from, columns);
          }
          for (std::int64_t row = block.first_row; row < block.first_row + block.rows; ++row) {
            result.row_ends[row] =
                block.is_piece()
                    ? std::uint16_t{0}
                    : static_cast<std::uint16_t>(offsets[row + 1] - first + block.lead());
          }
        }
      },
      threads);
  return result;
}

SegmentShape adaptive_shape(double rows, double columns, double nonzeros,
                            const AdaptiveSize& size) {
  SegmentShape shape;
  shape.unknowns = rows;
  shape.total_unknowns = columns;
  shape.elements = nonzeros;
  shape.blocks = nonzeros;
  shape.block_rows = rows;
  shape.index_bytes =
      static_cast<double>(size.column_units) * column_unit_bytes / std::max(1.0, nonzeros);
  shape.offset_bytes = sizeof(std::uint16_t) +
                       static_cast<double>(size.blocks) * sizeof(RowBlock) / std::max(1.0, rows);
  return shape;
}

std::int64_t row_blocks_of(const SegmentShape& shape) {
  const double of_blocks = shape.block_rows * (shape.offset_bytes - sizeof(std::uint16_t));
  return std::llround(of_blocks / sizeof(RowBlock));
}

template AdaptiveMatrix<float> convert_to_adaptive(const CsrView<float>&, const Segment&, int);
template AdaptiveMatrix<double> convert_to_adaptive(const CsrView<double>&, const Segment&, int);

}  // namespace sparsecast
