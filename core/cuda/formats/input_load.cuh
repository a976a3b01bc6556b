#pragma once

namespace sparsecast::cuda {

/// A value of the multiplied vector. `past_l1`: not from the L1 cache, which keeps nothing of it.
template <bool past_l1, class T>
__device__ T load_input(const T* from) {
  if constexpr (past_l1) {
    return __ldcg(from);
  } else {
    return *from;
  }
}

}  // namespace sparsecast::cuda
