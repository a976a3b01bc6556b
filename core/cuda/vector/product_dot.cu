#include "core/cuda/vector/product_dot.cuh"

#include <algorithm>

#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/device/pack.cuh"
#include "core/cuda/device/pack_loads.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/vector/finish_block.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int dot_threads = 256;
constexpr int dot_packs = 2;  ///< of each vector that a thread loads at a time

template <class T>
__global__ void __launch_bounds__(dot_threads)
    product_dot(Gate gate, const T* input, const T* output, std::int64_t size, BlockFinish finish) {
  wait_for_kernel_before();
  if (!enters(gate)) return;
  constexpr int width = Pack<T>::size;
  const std::int64_t whole = size / width;
  const auto* inputs = reinterpret_cast<const Pack<T>*>(input);
  const auto* outputs = reinterpret_cast<const Pack<T>*>(output);
  const std::int64_t stride = std::int64_t{gridDim.x} * dot_threads * dot_packs;
  double sums[1] = {};
  for (std::int64_t first = std::int64_t{blockIdx.x} * dot_threads * dot_packs + threadIdx.x;
       first < whole; first += stride) {
    Pack<T> a[dot_packs];
    Pack<T> b[dot_packs];
#pragma unroll
    for (int p = 0; p < dot_packs; ++p) {
      const std::int64_t i = first + p * dot_threads;
      a[p] = i < whole ? load_constant(inputs + i) : Pack<T>{};
      b[p] = i < whole ? load_constant(outputs + i) : Pack<T>{};
    }
#pragma unroll
    for (int p = 0; p < dot_packs; ++p) {
#pragma unroll
      for (int k = 0; k < width; ++k) {
        sums[0] += static_cast<double>(a[p].values[k]) * static_cast<double>(b[p].values[k]);
      }
    }
  }
  const std::int64_t rest = whole * width + threadIdx.x;
  if (blockIdx.x == 0 && rest < size) {
    sums[0] += static_cast<double>(input[rest]) * static_cast<double>(output[rest]);
  }
  if (finish.active()) finish_block<dot_threads>(finish, sums);
}

}  // namespace

template <class T>
Launch product_dot_launch(const T* input, const T* output, std::int64_t size, const Gate& gate,
                          const BlockFinish& finish, std::int64_t most_blocks) {
  const std::int64_t values = Pack<T>::size * dot_packs * dot_threads;
  const std::int64_t blocks =
      std::clamp<std::int64_t>((size + values - 1) / values, 1, most_blocks);
  BlockFinish complete = finish;
  complete.parts = blocks;
  return [=](cudaStream_t stream) {
    launch_early(product_dot<T>, static_cast<unsigned>(blocks), dot_threads, stream, gate, input,
                 output, size, complete);
  };
}

template Launch product_dot_launch(const float*, const float*, std::int64_t, const Gate&,
                                   const BlockFinish&, std::int64_t);
template Launch product_dot_launch(const double*, const double*, std::int64_t, const Gate&,
                                   const BlockFinish&, std::int64_t);

}  // namespace sparsecast::cuda
