#include "core/partition.hpp"

#include <algorithm>

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
std::vector<Segment> partition(const CsrView<T>& matrix, const Layout& layout, int devices) {
  const std::int64_t block_size = layout.block_size;
  const Segment whole{0, matrix.rows};
  std::vector<std::int64_t> boundaries;
  if (block_size == 1) {
    boundaries = split_by_weight(matrix.row_offsets, devices);
  } else if (devices == 1) {
    boundaries = {0, (matrix.rows + block_size - 1) / block_size};
  } else {
    boundaries = split_by_weight(count_blocks(matrix, whole, layout.block_size), devices);
  }
  const auto row = [&](std::int64_t block_row) {
    return std::min(block_row * block_size, matrix.rows);
  };
  std::vector<Segment> segments;
  for (std::size_t device = 0; device + 1 < boundaries.size(); ++device) {
    segments.push_back({row(boundaries[device]), row(boundaries[device + 1])});
  }
  return segments;
}

template std::vector<Segment> partition(const CsrView<float>&, const Layout&, int);
template std::vector<Segment> partition(const CsrView<double>&, const Layout&, int);

}  // namespace sparsecast
