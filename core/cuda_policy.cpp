#include <algorithm>
#include <bit>
#include <cmath>

#include "core/cuda_backend.hpp"

namespace sparsecast {

int spmv_lanes(const SegmentShape& segment, int block_size, const CudaPolicy& policy) {
  constexpr unsigned most = 32;  // a warp
  const unsigned least = block_size == 8 ? 4 : block_size == 6 ? 2 : 1;
  if (policy.lanes_per_row > 0) {
    return static_cast<int>(
        std::clamp(std::bit_ceil(static_cast<unsigned>(policy.lanes_per_row)), least, most));
  }
  const double mean = segment.block_rows > 0 ? segment.blocks / segment.block_rows : 0;
  // A lane has two loads under way: two groups of four elements of CSR, of which a row begins 1.5
  // elements into the first on average, or two blocks where these are small.
  const double loads = block_size == 1   ? (mean + 1.5) / 8
                       : block_size <= 3 ? mean / 2
                                         : mean * least;
  const double bounded = std::clamp(std::ceil(loads), 1.0, static_cast<double>(most));
  return static_cast<int>(std::clamp(std::bit_ceil(static_cast<unsigned>(bounded)), least, most));
}

}  // namespace sparsecast
