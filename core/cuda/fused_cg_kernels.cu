#include "core/cuda/fused_cg_kernels.cuh"

#include <algorithm>

#include "core/cuda/pack.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int fused_threads = 256;
/// 16-byte packs of each operand that a thread has under way.
constexpr int packs = 2;

// What a kernel does with the values of one row, as in vector_kernels.cu. `backward`: the rows are
// taken from the last to the first, which finds what the kernel before wrote last in the L2 cache.

template <class T>
__device__ void add_square(double& sum, T value) {
  sum += static_cast<double>(value) * static_cast<double>(value);
}

template <class T>
struct CgStart {
  static constexpr int reads = 3, writes = 2, scalars = 0, sums = 2;
  static constexpr int sources[reads] = {0, 1, 2};  // b, c, u
  static constexpr int targets[writes] = {3, 4};    // z, v
  static constexpr bool backward = true;
  static __device__ void apply(const T (&in)[reads], T (&out)[writes], const T*,
                               double* sums_here) {
    const T residual = in[0] - in[2];
    const T scaled = in[1] * residual;
    out[0] = out[1] = in[1] * scaled;
    add_square(sums_here[0], scaled);
    add_square(sums_here[1], residual);
  }
};

template <class T>
struct CgResidual {
  static constexpr int reads = 3, writes = 1, scalars = 1, sums = 2;
  static constexpr int sources[reads] = {0, 1, 2};  // u, c, z
  static constexpr int targets[writes] = {2};       // z
  static constexpr bool backward = true;
  static __device__ void apply(const T (&in)[reads], T (&out)[writes], const T* t,
                               double* sums_here) {
    const T inverse = 1 / in[1];
    const T z = in[2] - t[0] * (in[1] * in[1]) * in[0];
    const T scaled = z * inverse;
    out[0] = z;
    add_square(sums_here[0], scaled);
    add_square(sums_here[1], scaled * inverse);
  }
};

template <class T>
struct CgDirection {
  static constexpr int reads = 3, writes = 2, scalars = 2, sums = 0;
  static constexpr int sources[reads] = {0, 1, 2};  // z, v, x
  static constexpr int targets[writes] = {1, 2};    // v, x
  static constexpr bool backward = false;
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
    const std::int64_t place = Kernel::backward ? parts - 1 - index : index;
    return place * part + p * fused_threads + threadIdx.x;
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
  // Under way while the gate is asked.
  if (blockIdx.x < parts) load(blockIdx.x);
  if (!gate.enter()) return;
  T scalars[2] = {};
#pragma unroll
  for (int k = 0; k < Kernel::scalars; ++k) {
    scalars[k] = static_cast<T>(gate.scalars[operands.scalars[k]]);
  }
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
  const auto blocks =
      static_cast<unsigned>(fused_cg_blocks(size, static_cast<int>(sizeof(T)), shape));
  return [=](cudaStream_t stream) {
    by_row<Kernel, T><<<blocks, fused_threads, 0, stream>>>(gate, operands, finish, size);
    SPARSECAST_CUDA_CHECK(cudaGetLastError());
  };
}

}  // namespace

bool is_fused_cg_kernel(std::string_view name) {
  return name == "CGStart" || name == "CGResidual" || name == "CGDirection";
}

std::int64_t fused_cg_blocks(std::int64_t size, int value_bytes, const LaunchShape& shape) {
  const std::int64_t values = std::int64_t{16} / value_bytes * packs * fused_threads;
  const std::int64_t most = static_cast<std::int64_t>(shape.multiprocessors) *
                            shape.policy.finishing_blocks_per_multiprocessor;
  return std::clamp<std::int64_t>((size + values - 1) / values, 1, most);
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
