#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "core/formats/sell/groups.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"

/// @file
/// The slices of SELL as rows of CSR, before they are stored.

namespace sparsecast {

/// How a slice is stored.
struct SellPlan {
  std::int64_t groups = 0;
  int column_bytes = 1;  ///< 0: on diagonals
};

/// The rows of one slice after the other.
class SellSlices {
 public:
  SellSlices(const PatternView& matrix, const Segment& segment, int height,
             std::span<const std::int32_t> row_index)
      : matrix_(matrix), segment_(segment), height_(height), row_index_(row_index) {}

  std::int64_t count() const { return (segment_.rows() + height_ - 1) / height_; }
  int height() const { return height_; }
  int rows() const { return rows_; }

  void go_to(std::int64_t slice) {
    const std::int64_t first = slice * height_;
    rows_ = static_cast<int>(std::min<std::int64_t>(height_, segment_.rows() - first));
    for (int i = 0; i < rows_; ++i) {
      const std::int64_t row = segment_.begin_row + natural(first + i);
      begins_[i] = matrix_.row_offsets[row];
      lengths_[i] = matrix_.row_offsets[row + 1] - begins_[i];
    }
  }

  std::int64_t longest() const {
    return *std::max_element(lengths_.begin(), lengths_.begin() + rows_);
  }
  std::int64_t length(int row) const { return lengths_[row]; }
  /// Where the k-th entry of a row is in the matrix.
  std::int64_t place(int row, std::int64_t k) const { return begins_[row] + k; }
  std::int32_t column(int row, std::int64_t k) const {
    return matrix_.column_indices[place(row, k)];
  }

  /// Calls `function(column of row 0, places of all rows' entries there or -1)` for each diagonal
  /// that has an entry, rising, as long as that returns true.
  template <class Function>
  void for_each_diagonal(const Function& function) const {
    std::array<std::int64_t, sell_slice_heights.back()> next{};
    std::array<std::int64_t, sell_slice_heights.back()> places;
    for (;;) {
      std::int32_t least = no_column;
      for (int i = 0; i < rows_; ++i) {
        if (next[i] < lengths_[i]) least = std::min(least, column(i, next[i]) - i);
      }
      if (least == no_column) return;
      for (int i = 0; i < rows_; ++i) {
        const bool is_here = next[i] < lengths_[i] && column(i, next[i]) - i == least;
        places[i] = is_here ? place(i, next[i]++) : -1;
      }
      if (!function(least, places)) return;
    }
  }

  /// Of entries one after the other.
  std::int64_t least_groups() const {
    const int together = sell_group(height_) / height_;
    return (longest() + together - 1) / together;
  }

  /// How the slice is stored.
  SellPlan plan() const {
    SellPlan plan;
    const std::int64_t steps = longest();
    plan.groups = least_groups();
    for (std::int64_t group = 0; group < plan.groups; ++group) {
      const auto [least, most] = column_range(group);
      plan.column_bytes =
          std::max(plan.column_bytes, sell_column_bytes(static_cast<std::uint32_t>(most - least)));
    }
    if (height_ == sell_group(height_) && row_index_.empty()) {
      std::int64_t diagonals = 0;
      bool pays = true;
      for_each_diagonal([&](std::int32_t first, const auto&) {
        ++diagonals;
        // Each lane looks up a column that there is.
        pays = sell_pays_as_diagonals(diagonals, steps, plan.column_bytes) && first >= 0 &&
               std::int64_t{first} + height_ <= matrix_.columns;
        return pays;
      });
      if (pays) plan = {diagonals, 0};
    }
    return plan;
  }

  /// The least and the most of the columns of a group that is not on diagonals.
  std::pair<std::int32_t, std::int32_t> column_range(std::int64_t group) const {
    const int together = sell_group(height_) / height_;
    std::int32_t least = no_column;
    std::int32_t most = 0;
    for (int i = 0; i < rows_; ++i) {
      const std::int64_t first = group * together;
      const std::int64_t last = std::min<std::int64_t>(first + together, lengths_[i]) - 1;
      if (last < first) continue;
      least = std::min(least, column(i, first));  // they rise
      most = std::max(most, column(i, last));
    }
    return {least, most};
  }

 private:
  static constexpr std::int32_t no_column = std::numeric_limits<std::int32_t>::max();

  std::int64_t natural(std::int64_t stored) const {
    return row_index_.empty() ? stored : row_index_[stored];
  }

  const PatternView matrix_;
  const Segment segment_;
  const int height_;
  const std::span<const std::int32_t> row_index_;
  int rows_ = 0;
  std::array<std::int64_t, sell_slice_heights.back()> begins_{};
  std::array<std::int64_t, sell_slice_heights.back()> lengths_{};
};

}  // namespace sparsecast
