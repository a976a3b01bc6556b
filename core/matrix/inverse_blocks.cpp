#include "core/matrix/inverse_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast {
namespace {

/// A dense square matrix, row by row, that becomes its own inverse.
class Block {
 public:
  void reset(int size) {
    size_ = size;
    values_.assign(static_cast<std::size_t>(size) * size, 0);
  }
  double& at(int row, int column) {
    return values_[static_cast<std::size_t>(row) * size_ + static_cast<std::size_t>(column)];
  }

  /// By Gauss and Jordan, in place. A pivot is the largest of its column, each held against the
  /// largest value of its row. False: the block is singular.
  bool invert() {
    rows_.resize(static_cast<std::size_t>(size_));
    scales_.resize(static_cast<std::size_t>(size_));
    for (int row = 0; row < size_; ++row) {
      double largest = 0;
      for (int column = 0; column < size_; ++column) {
        largest = std::max(largest, std::abs(at(row, column)));
      }
      if (!(largest > 0)) return false;
      scales_[row] = largest;
    }
    const double least = 4 * size_ * std::numeric_limits<double>::epsilon();
    for (int step = 0; step < size_; ++step) {
      int pivot = step;
      const auto share = [&](int row) { return std::abs(at(row, step)) / scales_[row]; };
      for (int row = step + 1; row < size_; ++row) {
        if (share(row) > share(pivot)) pivot = row;
      }
      if (!(share(pivot) > least)) return false;
      exchange_rows(step, pivot);
      rows_[step] = pivot;
      eliminate(step);
    }
    for (int step = size_ - 1; step >= 0; --step) exchange_columns(step, rows_[step]);
    return true;
  }

 private:
  void exchange_rows(int a, int b) {
    if (a == b) return;
    for (int column = 0; column < size_; ++column) std::swap(at(a, column), at(b, column));
    std::swap(scales_[a], scales_[b]);
  }
  void exchange_columns(int a, int b) {
    if (a == b) return;
    for (int row = 0; row < size_; ++row) std::swap(at(row, a), at(row, b));
  }
  void eliminate(int step) {
    const double inverse = 1 / at(step, step);
    at(step, step) = 1;
    for (int column = 0; column < size_; ++column) at(step, column) *= inverse;
    for (int row = 0; row < size_; ++row) {
      if (row == step) continue;
      const double factor = std::exchange(at(row, step), 0);
      for (int column = 0; column < size_; ++column) {
        at(row, column) -= factor * at(step, column);
      }
    }
  }

  int size_ = 0;
  std::vector<double> values_;
  std::vector<int> rows_;  ///< exchanged with each step's
  std::vector<double> scales_;
};

/// The first block that cannot be inverted.
class FirstFault {
 public:
  void note(std::int64_t begin, std::int64_t end, bool is_singular) {
    const std::lock_guard lock(turn_);
    if (end_ > 0 && begin_ <= begin) return;
    begin_ = begin;
    end_ = end;
    is_singular_ = is_singular;
  }
  /// `shift`: from the rows that were noted to those of the whole matrix.
  void throw_if_any(int block_size, std::int64_t shift) const {
    if (end_ == 0) return;
    const std::int64_t begin = begin_ + shift;
    const std::int64_t end = end_ + shift;
    const std::string size = std::to_string(end - begin);
    const std::string rows =
        end - begin == 1 ? "row " + std::to_string(begin + 1)
                         : "rows " + std::to_string(begin + 1) + " to " + std::to_string(end);
    throw Error("block Jacobi: the " + size + " x " + size + " diagonal block of " + rows +
                " (block " + std::to_string(begin / block_size + 1) + ") " +
                (is_singular_ ? "is singular" : "has no finite inverse") +
                "; take another block size or another preconditioner");
  }

 private:
  std::mutex turn_;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  bool is_singular_ = false;
};

}  // namespace

template <class T>
std::vector<std::vector<T>> inverse_blocks(const CsrView<T>& matrix, int block_size,
                                           std::span<const std::int64_t> cuts,
                                           const std::optional<Segment>& own,
                                           std::int64_t rows_before) {
  if (block_size < 1) {
    throw Error("diagonal blocks of " + std::to_string(block_size) + " rows; expected 1 or more");
  }
  constexpr std::int64_t rows_per_thread = 5'000;
  const std::int64_t rows = matrix.rows;
  std::vector<std::vector<T>> inverse(static_cast<std::size_t>(block_size),
                                      std::vector<T>(static_cast<std::size_t>(rows), T{0}));
  FirstFault fault;

  /// Rows [begin, end) of the block whose first row is `first`.
  const auto invert = [&](std::int64_t first, std::int64_t begin, std::int64_t end, Block& block) {
    const auto size = static_cast<int>(end - begin);
    block.reset(size);
    for (int i = 0; i < size; ++i) {
      const auto columns = matrix.column_indices.begin();
      const auto last = columns + matrix.row_offsets[begin + i + 1];
      auto entry = std::lower_bound(columns + matrix.row_offsets[begin + i], last, begin);
      for (; entry != last && *entry < end; ++entry) {
        block.at(i, static_cast<int>(*entry - begin)) =
            static_cast<double>(matrix.values[entry - columns]);
      }
    }
    if (!block.invert()) return fault.note(begin, end, true);
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) {
        const T value = static_cast<T>(block.at(i, j));
        if (!std::isfinite(value)) return fault.note(begin, end, false);
        inverse[static_cast<std::size_t>(begin - first) + j][static_cast<std::size_t>(begin + i)] =
            value;
      }
    }
  };
  const Segment inverted = own.value_or(Segment{0, rows});
  const std::int64_t blocks = (inverted.rows() + block_size - 1) / block_size;
  const std::int64_t blocks_per_thread = std::max<std::int64_t>(1, rows_per_thread / block_size);
  parallel_for(blocks, blocks_per_thread, [&](std::int64_t begin_block, std::int64_t end_block) {
    Block block;
    for (std::int64_t k = begin_block; k < end_block; ++k) {
      const std::int64_t first = inverted.begin_row + k * block_size;
      const std::int64_t end = std::min(inverted.end_row, first + block_size);
      std::int64_t begin = first;
      for (auto cut = std::ranges::upper_bound(cuts, first); cut != cuts.end() && *cut < end;
           ++cut) {
        if (*cut == begin) continue;
        invert(first, begin, *cut, block);
        begin = *cut;
      }
      invert(first, begin, end, block);
    }
  });
  fault.throw_if_any(block_size, rows_before - inverted.begin_row);
  return inverse;
}

template std::vector<std::vector<float>> inverse_blocks(const CsrView<float>&, int,
                                                        std::span<const std::int64_t>,
                                                        const std::optional<Segment>&,
                                                        std::int64_t);
template std::vector<std::vector<double>> inverse_blocks(const CsrView<double>&, int,
                                                         std::span<const std::int64_t>,
                                                         const std::optional<Segment>&,
                                                         std::int64_t);

}  // namespace sparsecast
