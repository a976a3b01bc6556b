#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/base/threads/thread_team.hpp"

namespace sparsecast {

/// Runs `body(begin_row, end_row)` on ranges of rows with similar numbers of nonzeros, so that a
/// few long rows do not keep one thread busy while the others wait. Ranges begin at multiples of
/// `alignment` and cover all rows. The offsets, of any type with `size` and `[]`, may begin at any
/// number. `threads` = 0: all.
template <class Offsets>
void parallel_rows(const Offsets& row_offsets, std::int64_t alignment,
                   const std::function<void(std::int64_t, std::int64_t)>& body, int threads = 0) {
  const std::int64_t rows = static_cast<std::int64_t>(row_offsets.size()) - 1;
  if (rows <= 0) return;
  const std::int64_t groups = (rows + alignment - 1) / alignment;
  // A row costs as much as its nonzeros and a little more; the first group with at least `work`
  // before it starts a range.
  const auto work_before = [&](std::int64_t group) {
    const std::int64_t row = std::min(group * alignment, rows);
    return row_offsets[row] - row_offsets[0] + row;
  };
  const auto first_group = [&](std::int64_t work) {
    std::int64_t low = 0;
    std::int64_t high = groups;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (work_before(middle) < work) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  constexpr std::int64_t grain = 1 << 12;
  parallel_for(
      work_before(groups), grain,
      [&](std::int64_t begin_work, std::int64_t end_work) {
        const std::int64_t begin = std::min(first_group(begin_work) * alignment, rows);
        const std::int64_t end = std::min(first_group(end_work) * alignment, rows);
        if (begin < end) body(begin, end);
      },
      threads);
}

}  // namespace sparsecast
