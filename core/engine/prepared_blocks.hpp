#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/engine/backend.hpp"
#include "core/matrix/inverse_blocks.hpp"
#include "core/schedule/solver_slots.hpp"

namespace sparsecast {

/// The inverse diagonal blocks of a matrix as the devices of a schedule prepared with it take them:
/// a block that lies on two devices is cut in two. Throws like `inverse_blocks`.
template <class T>
std::vector<std::vector<T>> inverse_blocks_on_devices(const PreparedSchedule<T>& prepared,
                                                      const SolverSlots::InverseBlocks& blocks,
                                                      const CsrView<T>& matrix) {
  std::vector<std::int64_t> ends;
  for (const SegmentShape& segment : prepared.segments()) {
    ends.push_back((ends.empty() ? 0 : ends.back()) + std::llround(segment.unknowns));
  }
  return inverse_blocks(matrix, static_cast<int>(blocks.vectors.size()), ends);
}

}  // namespace sparsecast
