#include "core/cuda/fused_cg_kernels.cuh"

#include <algorithm>

#include "core/cuda/early_launch.cuh"
#include "core/cuda/pack.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int fused_threads = 256;
/// 16-byte packs of each operand that a thread has under way.
constexpr int packs = 2;

// What a kernel does with the values of one row, as in vector_kernels.cu. (To go through the rows
// from the last to the first, where the kernel before has just been, was measured: on an H200 it
// gains nothing, nor do loads and stores marked as the last.)

template <class T>
struct CgStart {
  static constexpr int reads = 3, writes = 2, scalars = 0, sums = 2;
  static constexpr int sources[reads] = {0, 1, 2};  // b, c, u
  static constexpr int targets[writes] = {3, 4};    // z, v
  static __device__ void apply(const T (&in)[reads], T (&out)[writes], const T*,
                               double* sums_here) {
    const T residual = in[0] - in[2];
    const T z = in[1] * in[1] * residual;
    out[0] = out[1] = z;
    sums_here[0] += static_cast<double>(z) * static_cast<double>(residual);
    sums_here[1] += static_cast<double>(residual) * static_cast<double>(residual);
  }
};

template <class T>
struct CgResidual {
  static constexpr int reads = 3, writes = 1, scalars = 1, sums = 2;
  static constexpr int sources[reads] = {0, 1, 2};  // u, c, z
  static constexpr int targets[writes] = {2};       // z
  static __device__ void apply(const T (&in)[reads], T (&out)[writes], const T* t,
                               double* sums_here) {
    const T square = in[1] * in[1];
    const T z = in[2] - t[0] * square * in[0];
    const T r = z / square;
    out[0] = z;
    sums_here[0] += static_cast<double>(z) * static_cast<double>(r);
    sums_here[1] += static_cast<double>(r) * static_cast<double>(r);
  }
};

template <class T>
struct CgDirection {
  static constexpr int reads = 3, writes = 2, scalars = 2, sums = 0;
  static constexpr int sources[reads] = {0, 1, 2};  // z, v, x
  static constexpr int targets[writes] = {1, 2};    // v, x
  static __device__ void apply(const T (&in)[reads], T (&out)[writes], const T* t_and_s, double*) {
    out[0] = in[0] + t_and_s[1] * in[1];
    out[1] = in[2] + t_and_s[0] * in[1];
  }
};

template <class Kernel, class T>
struct Operands {
  const T* in[Kernel::reads];
  T* out[Kernel::writes];
  int scalars[2];
};

/// Each block takes a part of `packs * fused_threads` packs at a time, with the grid's stride.
template <class Kernel, class T>
__global__ void __launch_bounds__(fused_threads)
    by_row(Gate gate, Operands<Kernel, T> operands, BlockFinish finish, std::int64_t size) {
  constexpr int width = Pack<T>::size;
  constexpr int part = packs * fused_threads;
  const std::int64_t whole = size / width;
  const std::int64_t parts = (whole + part - 1) / part;
  Pack<T> in[packs][Kernel::reads];
  const auto pack_of = [&](std::int64_t index, int p) {
    return index * part + p * fused_threads + threadIdx.x;
  };
  const auto load = [&](std::int64_t index) {
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      const std::int64_t i = pack_of(index, p);
      if (i >= whole) continue;
#pragma unroll
      for (int k = 0; k < Kernel::reads; ++k) {
        in[p][k] = reinterpret_cast<const Pack<T>*>(operands.in[k])[i];
      }
    }
  };
  wait_for_kernel_before();
  // Under way while the gate is asked.
  if (blockIdx.x < parts) load(blockIdx.x);
  T scalars[2] = {};
#pragma unroll
  for (int k = 0; k < Kernel::scalars; ++k) {
    scalars[k] = static_cast<T>(gate.scalars[operands.scalars[k]]);
  }
  if (!gate.enter()) return;
  if constexpr (Kernel::sums == 0) {
    if (finish.active()) finish_block<fused_threads>(finish);
  }
  double sums[Kernel::sums > 0 ? Kernel::sums : 1] = {};
  for (std::int64_t index = blockIdx.x; index < parts; index += gridDim.x) {
    if (index != blockIdx.x) load(index);
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      const std::int64_t i = pack_of(index, p);
      if (i >= whole) continue;
      Pack<T> out[Kernel::writes];
#pragma unroll
      for (int lane = 0; lane < width; ++lane) {
        T row_in[Kernel::reads];
        T row_out[Kernel::writes];
#pragma unroll
        for (int k = 0; k < Kernel::reads; ++k) row_in[k] = in[p][k].values[lane];
        Kernel::apply(row_in, row_out, scalars, sums);
#pragma unroll
        for (int k = 0; k < Kernel::writes; ++k) out[k].values[lane] = row_out[k];
      }
#pragma unroll
      for (int k = 0; k < Kernel::writes; ++k) {
        reinterpret_cast<Pack<T>*>(operands.out[k])[i] = out[k];
      }
    }
  }
  const std::int64_t rest = whole * width + threadIdx.x;
  if (blockIdx.x == 0 && rest < size) {
    T row_in[Kernel::reads];
    T row_out[Kernel::writes];
#pragma unroll
    for (int k = 0; k < Kernel::reads; ++k) row_in[k] = operands.in[k][rest];
    Kernel::apply(row_in, row_out, scalars, sums);
#pragma unroll
    for (int k = 0; k < Kernel::writes; ++k) operands.out[k][rest] = row_out[k];
  }
  if constexpr (Kernel::sums > 0) {
    if (finish.active()) finish_block<fused_threads>(finish, sums);
  }
}

template <class Kernel, class T>
Launch by_row_launch(const Step& step, std::span<T* const> vectors, std::int64_t size,
                     const Gate& gate, const BlockFinish& finish, const LaunchShape& shape) {
  Operands<Kernel, T> operands{};
  for (int k = 0; k < Kernel::reads; ++k) operands.in[k] = vectors[Kernel::sources[k]];
  for (int k = 0; k < Kernel::writes; ++k) operands.out[k] = vectors[Kernel::targets[k]];
  for (int k = 0; k < Kernel::scalars; ++k) operands.scalars[k] = step.scalars[k];
  const auto kernel = by_row<Kernel, T>;
  const std::int64_t values = Pack<T>::size * packs * fused_threads;
  const std::int64_t most = std::min(resident_blocks(kernel, fused_threads),
                                     static_cast<std::int64_t>(shape.multiprocessors) *
                                         shape.policy.finishing_blocks_per_multiprocessor);
  const std::int64_t blocks = std::clamp<std::int64_t>((size + values - 1) / values, 1, most);
  BlockFinish complete = finish;
  complete.parts = blocks;
  return [=](cudaStream_t stream) {
    launch_early(kernel, static_cast<unsigned>(blocks), fused_threads, stream, gate, operands,
                 complete, size);
  };
}

}  // namespace

bool is_fused_cg_kernel(std::string_view name) {
  return name == "CGStart" || name == "CGResidual" || name == "CGDirection";
}

template <class T>
Launch fused_cg_launch(const Step& step, std::span<T* const> vectors, std::int64_t size,
                       const Gate& gate, const BlockFinish& finish, const LaunchShape& shape) {
  if (step.name == "CGStart") {
    return by_row_launch<CgStart<T>, T>(step, vectors, size, gate, finish, shape);
  }
  if (step.name == "CGResidual") {
    return by_row_launch<CgResidual<T>, T>(step, vectors, size, gate, finish, shape);
  }
  return by_row_launch<CgDirection<T>, T>(step, vectors, size, gate, finish, shape);
}

template Launch fused_cg_launch(const Step&, std::span<float* const>, std::int64_t, const Gate&,
                                const BlockFinish&, const LaunchShape&);
template Launch fused_cg_launch(const Step&, std::span<double* const>, std::int64_t, const Gate&,
                                const BlockFinish&, const LaunchShape&);

}  // namespace sparsecast::cuda
