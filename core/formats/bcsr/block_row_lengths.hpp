#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/base/buffer.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/layout.hpp"

/// @file
/// The lengths of the block rows of a matrix in blocks, for all block sizes in one pass over the
/// entries. Inline: what else a pass does with every row is compiled with it.

namespace sparsecast {

/// Rows that hold whole block rows of every block size.
inline constexpr std::int64_t rows_per_group = 24;
static_assert(rows_per_group % 8 == 0 && rows_per_group % 6 == 0);

/// The lengths in blocks of all block rows, for N = 2, 3, 4, 6, 8 (for N = 1: the row offsets).
using BlockRowLengths = std::array<Buffer<std::int32_t>, block_sizes.size()>;

/// Room for the lengths of all block rows of a matrix with so many rows.
inline BlockRowLengths block_row_lengths(std::int64_t rows) {
  BlockRowLengths lengths;
  for (std::size_t k = 1; k < block_sizes.size(); ++k) {
    lengths[k].resize(static_cast<std::size_t>((rows + block_sizes[k] - 1) / block_sizes[k]));
  }
  return lengths;
}

namespace block_row_lengths_detail {

/// Counts the blocks of block rows, for all block sizes at once: an entry opens a block where the
/// last entry in this block column was of an earlier block row. Without a branch, which could not
/// be predicted.
class BlockCounter {
 public:
  explicit BlockCounter(std::int64_t columns)
      : last_2_(columns), last_3_(columns), last_4_(columns), last_6_(columns), last_8_(columns) {}

  /// Forgets the rows before, which may share a block row with the next.
  void begin_anew() {
    last_2_.begin_block_row();
    last_3_.begin_block_row();
    last_4_.begin_block_row();
    last_6_.begin_block_row();
    last_8_.begin_block_row();
  }

  /// Adds the blocks that the entries of this row open to the lengths of its block rows, which
  /// begin at 0 with the first row of a block row; rows rise one by one from call to call. `lone`
  /// entries, which are not among the columns, open a block of each size.
  void add_row(std::span<const std::int32_t> columns, std::int32_t lone, std::int64_t row,
               BlockRowLengths& lengths) {
    const Marks<2> marks_2 = last_2_.of_row(row);
    const Marks<3> marks_3 = last_3_.of_row(row);
    const Marks<4> marks_4 = last_4_.of_row(row);
    const Marks<6> marks_6 = last_6_.of_row(row);
    const Marks<8> marks_8 = last_8_.of_row(row);
    std::int32_t opened_2 = lone;
    std::int32_t opened_3 = lone;
    std::int32_t opened_4 = lone;
    std::int32_t opened_6 = lone;
    std::int32_t opened_8 = lone;
    for (const std::int32_t signed_column : columns) {
      const auto column = static_cast<std::uint32_t>(signed_column);
      opened_2 += marks_2.opens(column);
      opened_3 += marks_3.opens(column);
      opened_4 += marks_4.opens(column);
      opened_6 += marks_6.opens(column);
      opened_8 += marks_8.opens(column);
    }
    add<2>(lengths[1], row, opened_2);
    add<3>(lengths[2], row, opened_3);
    add<4>(lengths[3], row, opened_4);
    add<6>(lengths[4], row, opened_6);
    add<8>(lengths[5], row, opened_8);
  }

 private:
  /// The block row that was last seen in each block column, and the one of this row, as numbers
  /// from 1 that begin again after 65535 block rows: 16 bits take little of the caches.
  template <std::uint32_t N>
  struct Marks {
    std::uint16_t* last;
    std::uint16_t number;

    bool opens(std::uint32_t column) const {
      std::uint16_t& mark = last[column / N];
      const bool result = mark != number;
      mark = number;
      return result;
    }
  };
  template <std::uint32_t N>
  class LastSeen {
   public:
    explicit LastSeen(std::int64_t columns) : last_(columns / N + 1, std::uint16_t{0}) {}

    void begin_block_row() {
      if (++number_ != 0) return;
      std::fill(last_.begin(), last_.end(), std::uint16_t{0});
      number_ = 1;
    }

    Marks<N> of_row(std::int64_t row) {
      if (row % N == 0) begin_block_row();
      return {last_.data(), number_};
    }

   private:
    Buffer<std::uint16_t> last_;
    std::uint16_t number_ = 0;  ///< of the block row of the last row; 0: there was none
  };

  template <std::int64_t N>
  static void add(Buffer<std::int32_t>& lengths, std::int64_t row, std::int32_t opened) {
    lengths[row / N] = (row % N == 0 ? 0 : lengths[row / N]) + opened;
  }

  LastSeen<2> last_2_;
  LastSeen<3> last_3_;
  LastSeen<4> last_4_;
  LastSeen<6> last_6_;
  LastSeen<8> last_8_;
};
static_assert(block_sizes == std::array{1, 2, 3, 4, 6, 8});

/// Tells which entries of a group of rows are alone in their group of `rows_per_group` columns, and
/// so alone in their blocks of all sizes. In a matrix of scattered entries these are most; to find
/// them takes one small array, where the block counter's arrays would leave the caches.
class LoneEntries {
 public:
  explicit LoneEntries(std::int64_t columns)
      : last_(columns / rows_per_group + 1, std::uint16_t{0}) {}

  /// Looks at the entries of the next group of rows. True if most are alone.
  bool look(std::span<const std::int32_t> columns) {
    number_ += 2;
    std::int64_t places = 0;
    for (const std::int32_t column : columns) {
      std::uint16_t& last = last_[place(column)];
      const bool first = (last | 1) != (number_ | 1);
      last = static_cast<std::uint16_t>(number_ + !first);
      places += first;
    }
    // With p places for k entries, at least 2 p - k have an entry alone.
    return 4 * places > 3 * static_cast<std::int64_t>(columns.size());
  }

  /// Copies the columns of a row of the group that are not alone; returns their number.
  std::size_t copy_others(std::span<const std::int32_t> columns, std::int32_t* others) const {
    std::size_t count = 0;
    for (const std::int32_t column : columns) {
      others[count] = column;
      count += last_[place(column)] != number_;
    }
    return count;
  }

 private:
  static std::uint32_t place(std::int32_t column) {
    return static_cast<std::uint32_t>(column) / static_cast<std::uint32_t>(rows_per_group);
  }

  /// For each group of columns the number of the group of rows that last had an entry there, an
  /// even one, and 1 more if it had several. Numbers begin again at 0: an entry taken for one of a
  /// group long gone counts as not alone, which costs a little time only.
  Buffer<std::uint16_t> last_;
  std::uint16_t number_ = 0;
};

}  // namespace block_row_lengths_detail

/// What block rows of a matrix with so many columns are counted with, one range of rows after the
/// other.
struct BlockRowCounter {
  explicit BlockRowCounter(std::int64_t columns) : blocks(columns), lone_entries(columns) {}

  block_row_lengths_detail::BlockCounter blocks;
  block_row_lengths_detail::LoneEntries lone_entries;
  Buffer<std::int32_t> others;
};

/// Counts the blocks of the block rows of rows [begin, end), and calls `each_row(row)` for each row
/// while its columns are in the cache. To the lengths of block rows that begin above `begin` it
/// adds; of those there are none at multiples of `rows_per_group`. Columns must rise within rows.
template <class T, class EachRow>
void count_block_rows(const CsrView<T>& matrix, std::int64_t begin, std::int64_t end,
                      BlockRowCounter& counter, BlockRowLengths& lengths, const EachRow& each_row) {
  constexpr std::int64_t groups_between_looks = 64;
  auto& [blocks, lone_entries, others] = counter;
  blocks.begin_anew();
  bool scattered = false;
  std::int64_t groups = 0;
  std::int64_t last = begin;
  for (std::int64_t first = begin; first < end; first = last) {
    last = std::min((first / rows_per_group + 1) * rows_per_group, end);
    const auto columns_of = [&](std::int64_t from, std::int64_t to) {
      const std::int64_t offset = matrix.row_offsets[from];
      return std::span<const std::int32_t>(matrix.column_indices)
          .subspan(offset, matrix.row_offsets[to] - offset);
    };
    if (scattered || groups % groups_between_looks == 0) {
      scattered = lone_entries.look(columns_of(first, last));
    }
    ++groups;
    for (std::int64_t row = first; row < last; ++row) {
      const std::span<const std::int32_t> columns = columns_of(row, row + 1);
      if (scattered) {
        if (others.size() < columns.size()) others.resize(columns.size());
        const std::size_t count = lone_entries.copy_others(columns, others.data());
        blocks.add_row(std::span(others).first(count),
                       static_cast<std::int32_t>(columns.size() - count), row, lengths);
      } else {
        blocks.add_row(columns, 0, row, lengths);
      }
      each_row(row);
    }
  }
}

}  // namespace sparsecast
