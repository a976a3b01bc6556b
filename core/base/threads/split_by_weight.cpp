#include "core/base/threads/split_by_weight.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"

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

}  // namespace sparsecast
