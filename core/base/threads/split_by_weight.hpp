#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sparsecast {

/// Cuts consecutive items into `parts` ranges of similar total weight; returns parts + 1 rising
/// boundaries, the first 0, the last the number of items. `cumulative_weights` holds one more
/// number than there are items, as row offsets do: item i weighs `cumulative_weights[i + 1] -
/// cumulative_weights[i]`, which is not negative. No range exceeds the ideal share by more than the
/// largest weight. Throws `Error` if `parts` is not positive.
std::vector<std::int64_t> split_by_weight(std::span<const std::int64_t> cumulative_weights,
                                          int parts);

}  // namespace sparsecast
