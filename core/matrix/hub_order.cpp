#include "core/matrix/hub_order.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/matrix/application_orders.hpp"
#include "core/matrix/symmetrize.hpp"

namespace sparsecast {
namespace {

/// A hub has so many times the entries of the mean row. No more are put in front than a
/// multiprocessor's first-level cache holds values of: 16384 take 64 KiB in f32.
constexpr double hub_factor = 4;
constexpr std::int64_t most_hubs = 16384;
/// Rows of a cluster. On power-law graphs 128 and 2048 came to the same.
constexpr std::int64_t cluster_rows = 512;

/// Rows by how many neighbours they have in the cluster so far.
class Candidates {
 public:
  explicit Candidates(std::int64_t rows) : neighbours_(static_cast<std::size_t>(rows), 0) {}

  void add_neighbour(std::int32_t row) {
    std::uint8_t& count = neighbours_[row];
    if (count == 0) seen_.push_back(row);
    if (count + 1 < most_counted) ++count;
    by_count_[count].push_back(row);
    most_ = std::max(most_, int{count});
  }

  /// Takes the one with the most, the latest of those; -1: there is none. `is_placed(row)` is true
  /// for rows that do not count any more.
  template <class IsPlaced>
  std::int32_t take(const IsPlaced& is_placed) {
    for (; most_ > 0; --most_) {
      std::vector<std::int32_t>& rows = by_count_[most_];
      while (!rows.empty()) {
        const std::int32_t row = rows.back();
        rows.pop_back();
        // Those with more neighbours by now stand further up as well.
        if (neighbours_[row] == most_ && !is_placed(row)) return row;
      }
    }
    return -1;
  }

  /// All that have been a candidate since the last `clear`.
  const std::vector<std::int32_t>& seen() const { return seen_; }

  void clear() {
    for (const std::int32_t row : seen_) neighbours_[row] = 0;
    seen_.clear();
    for (std::vector<std::int32_t>& rows : by_count_) rows.clear();
    most_ = 0;
  }

 private:
  static constexpr int most_counted = 64;

  std::vector<std::uint8_t> neighbours_;
  std::array<std::vector<std::int32_t>, most_counted> by_count_;
  std::vector<std::int32_t> seen_;
  int most_ = 0;
};

}  // namespace

Permutation hub_order(const CsrView<double>& matrix) {
  const Permutation by_length = hubs_first(matrix);
  const CsrPattern graph = symmetrize_pattern(matrix);
  const std::int64_t rows = matrix.rows;
  const double mean =
      static_cast<double>(matrix.nonzeros()) / static_cast<double>(std::max<std::int64_t>(1, rows));
  const auto is_hub = [&](std::int32_t row) {
    return static_cast<double>(matrix.row_offsets[row + 1] - matrix.row_offsets[row]) >
           hub_factor * mean;
  };

  Permutation order;
  order.reserve(by_length.size());
  std::vector<bool> placed(static_cast<std::size_t>(rows));
  const auto place = [&](std::int32_t row) {
    order.push_back(row);
    placed[row] = true;
  };
  for (std::int64_t k = 0; k < std::min(rows, most_hubs) && is_hub(by_length[k]); ++k) {
    place(by_length[k]);
  }

  Candidates candidates(rows);
  // Clusters begin near those before: with rows that were nearly in one, the first seen first.
  std::vector<std::int32_t> near;
  std::vector<bool> is_near(static_cast<std::size_t>(rows));
  std::size_t next_near = 0;
  std::int64_t next_by_length = std::ssize(order);
  const auto first_of_cluster = [&] {
    while (next_near < near.size()) {
      const std::int32_t row = near[next_near++];
      if (!placed[row]) return row;
    }
    while (placed[by_length[next_by_length]]) ++next_by_length;
    return by_length[next_by_length];
  };
  while (std::ssize(order) < rows) {
    std::int32_t row = first_of_cluster();
    for (std::int64_t size = 1;; ++size) {
      place(row);
      if (size == cluster_rows) break;
      for (std::int64_t k = graph.row_offsets[row]; k < graph.row_offsets[row + 1]; ++k) {
        const std::int32_t neighbour = graph.column_indices[k];
        if (!placed[neighbour]) candidates.add_neighbour(neighbour);
      }
      row = candidates.take([&](std::int32_t candidate) { return placed[candidate]; });
      if (row < 0) break;
    }
    for (const std::int32_t seen : candidates.seen()) {
      if (placed[seen] || is_near[seen]) continue;
      is_near[seen] = true;
      near.push_back(seen);
    }
    candidates.clear();
  }
  return order;
}

}  // namespace sparsecast
