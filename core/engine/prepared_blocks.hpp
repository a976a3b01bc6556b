#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/engine/backend.hpp"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_part.hpp"
#include "core/matrix/inverse_blocks.hpp"
#include "core/schedule/solver_slots.hpp"

namespace sparsecast {

/// The inverse diagonal blocks of a matrix as the devices of a schedule prepared with it take them:
/// a block that lies on two devices is cut in two. Of ranks each inverts those of its own rows,
/// where whole blocks are. Throws like `inverse_blocks`, the same on all ranks, which all call it.
template <class T>
std::vector<std::vector<T>> inverse_blocks_on_devices(const PreparedSchedule<T>& prepared,
                                                      const SolverSlots::InverseBlocks& blocks,
                                                      const CsrView<T>& matrix,
                                                      const RankPart* part = nullptr) {
  const auto block_size = static_cast<int>(blocks.vectors.size());
  if (part != nullptr) {
    std::vector<std::vector<T>> inverse;
    do_together(*part->ranks, [&] {
      inverse =
          inverse_blocks(matrix, block_size, {}, part->own, part->rows.begin(part->ranks->rank()));
    });
    return inverse;
  }
  std::vector<std::int64_t> ends;
  for (const SegmentShape& segment : prepared.segments()) {
    ends.push_back((ends.empty() ? 0 : ends.back()) + std::llround(segment.unknowns));
  }
  return inverse_blocks<T>(matrix, block_size, ends);
}

}  // namespace sparsecast
