#pragma once

namespace sparsecast::cuda {

inline constexpr unsigned whole_warp = 0xffffffffu;
inline constexpr int warp_size = 32;

}  // namespace sparsecast::cuda
