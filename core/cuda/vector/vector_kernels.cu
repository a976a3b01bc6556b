#include "core/cuda/vector/vector_kernels.cuh"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/cuda/device/block_sum.cuh"
#include "core/cuda/device/check.cuh"
#include "core/cuda/device/pack.cuh"
#include "core/cuda/device/pack_loads.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/vector/row_packs.cuh"

namespace sparsecast::cuda {
namespace {

/// More threads than this in a block would not fit two blocks' registers in a multiprocessor.
constexpr int most_threads = 512;

// Kernels of `RowPacks`; the last argument is the step's scalar.

template <class T>
struct Cg1 {
  static constexpr int reads = 3, writes = 6;
  static constexpr int sources[reads] = {0, 1, 2};            // b, c, r
  static constexpr int targets[writes] = {2, 3, 4, 5, 6, 7};  // r, w, v_part, t1, t2, v
  static __device__ void apply(const T (&in)[reads], T (&out)[writes], T) {
    const T residual = in[0] - in[2];
    const T scaled = in[1] * residual;
    const T direction = in[1] * scaled;
    out[0] = residual;
    out[1] = scaled;
    out[2] = direction;
    out[3] = scaled * scaled;
    out[4] = direction * direction;
    out[5] = direction;
  }
};

template <class T>
struct Cg2 {
  static constexpr int reads = 1, writes = 1;
  static constexpr int sources[reads] = {0};   // r
  static constexpr int targets[writes] = {1};  // t1
  static __device__ void apply(const T (&in)[reads], T (&out)[writes], T) {
    out[0] = in[0] * in[0];
  }
};

template <class T>
struct Cg3 {
  static constexpr int reads = 2, writes = 1;
  static constexpr int sources[reads] = {0, 1};  // u, v_part
  static constexpr int targets[writes] = {2};    // t1
  static __device__ void apply(const T (&in)[reads], T (&out)[writes], T) {
    out[0] = in[0] * in[1];
  }
};

template <class T>
struct Cg4 {
  static constexpr int reads = 5, writes = 4;
  static constexpr int sources[reads] = {0, 1, 2, 3, 4};  // v_part, u, c, x, r
  static constexpr int targets[writes] = {3, 4, 5, 6};    // x, r, w, t2
  static __device__ void apply(const T (&in)[reads], T (&out)[writes], T t) {
    const T residual = in[4] - t * in[1];
    const T scaled = in[2] * residual;
    out[0] = in[3] + t * in[0];
    out[1] = residual;
    out[2] = scaled;
    out[3] = scaled * scaled;
  }
};

template <class T>
struct Cg5 {
  static constexpr int reads = 3, writes = 3;
  static constexpr int sources[reads] = {0, 1, 2};   // c, w, v_part
  static constexpr int targets[writes] = {2, 3, 4};  // v_part, t3, v
  static __device__ void apply(const T (&in)[reads], T (&out)[writes], T s) {
    const T direction = in[0] * in[1] + s * in[2];
    out[0] = direction;
    out[1] = direction * direction;
    out[2] = direction;
  }
};

template <class T>
struct Copy {
  static constexpr int reads = 1, writes = 1;
  static constexpr int sources[reads] = {0};
  static constexpr int targets[writes] = {1};
  static __device__ void apply(const T (&in)[reads], T (&out)[writes], T) { out[0] = in[0]; }
};

/// Each thread takes `packs` packs of every operand, all loaded before the first is used.
/// `scalar_slot` is negative if the kernel has no scalar.
template <class Kernel, class T, int packs>
__global__ void __launch_bounds__(most_threads)
    by_row(Gate gate, RowOperands<Kernel, T> operands, int scalar_slot, std::int64_t size) {
  if (!enters(gate)) return;
  const T scalar = scalar_slot >= 0 ? static_cast<T>(gate.scalars[scalar_slot]) : T{0};
  const auto apply = [&](const auto& in, auto& out) { Kernel::apply(in, out, scalar); };
  const std::int64_t whole = size / Pack<T>::size;
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * packs + threadIdx.x;
  RowPacks<Kernel, T, packs> rows;
  rows.load(operands, first, blockDim.x, whole);
  rows.apply(operands, first, blockDim.x, whole, apply);
  apply_to_rest<Kernel>(operands, size, apply);
}

/// Blocks that cover `size` values; at least 1, so that a kernel of nothing is counted too.
std::int64_t covering_blocks(std::int64_t size, int values_per_block) {
  return std::max<std::int64_t>(1, (size + values_per_block - 1) / values_per_block);
}

/// Pointers to as many vectors as fit comfortably into kernel arguments.
template <class T>
struct VectorList {
  static constexpr int capacity = 64;
  int count = 0;
  T* vectors[capacity];

  explicit VectorList(std::span<T* const> all) : count(static_cast<int>(all.size())) {
    if (all.size() > capacity) {
      throw Error("a kernel of " + std::to_string(all.size()) + " vectors; CUDA's take at most " +
                  std::to_string(capacity));
    }
    std::ranges::copy(all, vectors);
  }
};

template <class T>
__global__ void __launch_bounds__(most_threads)
    mixed(Gate gate, const __grid_constant__ VectorList<T> list, int reads, std::int64_t size) {
  if (!enters(gate)) return;
  constexpr int width = Pack<T>::size;
  const std::int64_t whole = size / width;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < whole) {
    Pack<T> sum{};
#pragma unroll 4
    for (int k = 0; k < reads; ++k) {
      const Pack<T> in = load_constant(reinterpret_cast<const Pack<T>*>(list.vectors[k]) + i);
#pragma unroll
      for (int lane = 0; lane < width; ++lane) sum.values[lane] += in.values[lane];
    }
    for (int k = reads; k < list.count; ++k) {
      reinterpret_cast<Pack<T>*>(list.vectors[k])[i] = sum;
    }
  }
  const std::int64_t rest = whole * width + threadIdx.x;
  if (blockIdx.x == 0 && rest < size) {
    T sum = 0;
    for (int k = 0; k < reads; ++k) sum += list.vectors[k][rest];
    for (int k = reads; k < list.count; ++k) list.vectors[k][rest] = sum;
  }
}

constexpr int sum_threads = 256;
constexpr int fixed_packs = 4;     ///< of a vector that a thread of the fixed grid loads at a time
constexpr int variable_packs = 1;  ///< and of the variable grid, in all

template <class T, int packs>
__global__ void __launch_bounds__(sum_threads)
    sum(Gate gate, const __grid_constant__ VectorList<T> list, std::int64_t size,
        double* partials) {
  if (!enters(gate)) return;
  constexpr int width = Pack<T>::size;
  const std::int64_t whole = size / width;
  const std::int64_t stride = std::int64_t{gridDim.x} * sum_threads * packs;
  double total = 0;
  for (std::int64_t first = std::int64_t{blockIdx.x} * sum_threads * packs + threadIdx.x;
       first < whole; first += stride) {
#pragma unroll 2
    for (int k = 0; k < list.count; ++k) {
      const auto* vector = reinterpret_cast<const Pack<T>*>(list.vectors[k]);
      Pack<T> in[packs];
#pragma unroll
      for (int p = 0; p < packs; ++p) {
        const std::int64_t i = first + p * sum_threads;
        in[p] = i < whole ? load_constant(vector + i) : Pack<T>{};
      }
#pragma unroll
      for (int p = 0; p < packs; ++p) {
#pragma unroll
        for (int lane = 0; lane < width; ++lane) total += static_cast<double>(in[p].values[lane]);
      }
    }
  }
  const std::int64_t rest = whole * width + threadIdx.x;
  if (blockIdx.x == 0 && rest < size) {
    for (int k = 0; k < list.count; ++k) total += static_cast<double>(list.vectors[k][rest]);
  }
  total = block_sum<sum_threads>(total);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

template <class Kernel, class T>
Launch by_row_launch(const Step& step, std::span<T* const> vectors, std::int64_t size,
                     const Gate& gate, const LaunchShape& shape) {
  const auto operands = RowOperands<Kernel, T>::of(vectors);
  const int scalar = step.scalars.empty() ? -1 : step.scalars[0];
  const int threads = std::min(shape.policy.threads_per_block, most_threads);
  const std::int64_t packs = size / Pack<T>::size;
  const bool two = packs >= shape.multiprocessors * shape.policy.packs_per_multiprocessor_for_two;
  const std::int64_t blocks = covering_blocks(size, threads * Pack<T>::size * (two ? 2 : 1));
  return [=](cudaStream_t stream) {
    const auto grid = static_cast<unsigned>(blocks);
    if (two) {
      by_row<Kernel, T, 2><<<grid, threads, 0, stream>>>(gate, operands, scalar, size);
    } else {
      by_row<Kernel, T, 1><<<grid, threads, 0, stream>>>(gate, operands, scalar, size);
    }
    SPARSECAST_CUDA_CHECK(cudaGetLastError());
  };
}

}  // namespace

template <class T>
Launch vector_launch(const Step& step, std::span<T* const> vectors, int reads, std::int64_t size,
                     const Gate& gate, const LaunchShape& shape) {
  if (step.name == "CG1") return by_row_launch<Cg1<T>, T>(step, vectors, size, gate, shape);
  if (step.name == "CG2") return by_row_launch<Cg2<T>, T>(step, vectors, size, gate, shape);
  if (step.name == "CG3") return by_row_launch<Cg3<T>, T>(step, vectors, size, gate, shape);
  if (step.name == "CG4") return by_row_launch<Cg4<T>, T>(step, vectors, size, gate, shape);
  if (step.name == "CG5") return by_row_launch<Cg5<T>, T>(step, vectors, size, gate, shape);
  if (step.name == "Copy") return by_row_launch<Copy<T>, T>(step, vectors, size, gate, shape);
  if (step.name == "Mixed") {
    const int threads = std::min(shape.policy.threads_per_block, most_threads);
    const VectorList<T> list(vectors);
    const auto blocks = static_cast<unsigned>(covering_blocks(size, threads * Pack<T>::size));
    return [=](cudaStream_t stream) {
      mixed<T><<<blocks, threads, 0, stream>>>(gate, list, reads, size);
      SPARSECAST_CUDA_CHECK(cudaGetLastError());
    };
  }
  return {};
}

std::int64_t sum_blocks(std::int64_t size, int value_bytes, bool variable,
                        const LaunchShape& shape) {
  const int pack = 16 / value_bytes;
  if (variable) return covering_blocks(size, sum_threads * variable_packs * pack);
  const std::int64_t most = static_cast<std::int64_t>(shape.multiprocessors) *
                            shape.policy.reduction_blocks_per_multiprocessor;
  return std::min(most, covering_blocks(size, sum_threads * fixed_packs * pack));
}

template <class T>
Launch sum_launch(std::span<T* const> vectors, std::int64_t size, bool variable, double* partials,
                  const Gate& gate, const LaunchShape& shape) {
  const VectorList<T> list(vectors);
  const auto blocks =
      static_cast<unsigned>(sum_blocks(size, static_cast<int>(sizeof(T)), variable, shape));
  return [=](cudaStream_t stream) {
    if (variable) {
      sum<T, variable_packs><<<blocks, sum_threads, 0, stream>>>(gate, list, size, partials);
    } else {
      sum<T, fixed_packs><<<blocks, sum_threads, 0, stream>>>(gate, list, size, partials);
    }
    SPARSECAST_CUDA_CHECK(cudaGetLastError());
  };
}

template Launch vector_launch(const Step&, std::span<float* const>, int, std::int64_t, const Gate&,
                              const LaunchShape&);
template Launch vector_launch(const Step&, std::span<double* const>, int, std::int64_t, const Gate&,
                              const LaunchShape&);
template Launch sum_launch(std::span<float* const>, std::int64_t, bool, double*, const Gate&,
                           const LaunchShape&);
template Launch sum_launch(std::span<double* const>, std::int64_t, bool, double*, const Gate&,
                           const LaunchShape&);

}  // namespace sparsecast::cuda
