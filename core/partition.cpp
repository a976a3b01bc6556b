#include "core/partition.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/bcsr.hpp"
#include "core/error.hpp"

namespace sparsecast {

std::vector<std::int64_t> split_by_weight(std::span<const std::int64_t> cumulative_weights,
                                          int parts) {
  if (parts < 1 || cumulative_weights.empty()) {
    throw Error("cannot split " + std::to_string(cumulative_weights.size()) +
                " cumulative weights into " + std::to_string(parts) +
                " parts; expected at least one of each");
  }
  const std::int64_t first = cumulative_weights.front();
  const std::int64_t total = cumulative_weights.back() - first;
  const auto items = static_cast<std::int64_t>(cumulative_weights.size()) - 1;
  std::vector<std::int64_t> boundaries(static_cast<std::size_t>(parts) + 1, 0);
  boundaries.back() = items;
  for (std::int64_t part = 1; part < parts; ++part) {
    // Without overflow: total * part / parts.
    const std::int64_t target = first + total / parts * part + total % parts * part / parts;
    const auto above = std::ranges::lower_bound(cumulative_weights, target);
    auto nearest = above;
    if (above != cumulative_weights.begin() && target - *(above - 1) < *above - target) {
      nearest = above - 1;
    }
    boundaries[static_cast<std::size_t>(part)] = nearest - cumulative_weights.begin();
  }
  return boundaries;
}

template <class T>
std::vector<Segment> partition(const CsrView<T>& matrix, const Layout& layout, int devices,
                               int row_alignment) {
  if (row_alignment < 1) {
    throw Error("segments aligned to " + std::to_string(row_alignment) +
                " rows; expected a positive number");
  }
  const std::int64_t block_size = layout.block_size;
  const std::int64_t unit = std::lcm(block_size, std::int64_t{row_alignment});  // rows
  const std::int64_t units = (matrix.rows + unit - 1) / unit;
  std::vector<std::int64_t> boundaries;
  if (devices == 1) {
    boundaries = {0, units};
  } else if (unit == 1) {
    boundaries = split_by_weight(matrix.row_offsets, devices);
  } else {
    Buffer<std::int64_t> counted;
    if (block_size > 1) counted = count_blocks(matrix, {0, matrix.rows}, layout.block_size);
    const std::span<const std::int64_t> blocks_before =
        block_size > 1 ? std::span<const std::int64_t>(counted) : matrix.row_offsets;
    const auto block_rows = static_cast<std::int64_t>(blocks_before.size()) - 1;
    Buffer<std::int64_t> weights(static_cast<std::size_t>(units) + 1);
    for (std::int64_t k = 0; k <= units; ++k) {
      weights[k] = blocks_before[std::min(k * (unit / block_size), block_rows)];
    }
    boundaries = split_by_weight(weights, devices);
  }
  const auto row = [&](std::int64_t boundary) { return std::min(boundary * unit, matrix.rows); };
  std::vector<Segment> segments;
  for (std::size_t device = 0; device + 1 < boundaries.size(); ++device) {
    segments.push_back({row(boundaries[device]), row(boundaries[device + 1])});
  }
  return segments;
}

template std::vector<Segment> partition(const CsrView<float>&, const Layout&, int, int);
template std::vector<Segment> partition(const CsrView<double>&, const Layout&, int, int);

}  // namespace sparsecast
