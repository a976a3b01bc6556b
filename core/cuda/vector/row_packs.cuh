#pragma once

#include <cstdint>
#include <span>

#include "core/cuda/device/pack.cuh"

/// @file
/// How kernels of vectors take their rows: in packs of 16 bytes of every operand. What one does
/// with the values of a row is a `Kernel`:
/// - `reads`, `writes`: how many operands it reads and writes;
/// - `sources[reads]`, `targets[writes]`: which of the step's vectors these are;
/// - `apply(in, out, ...)`: `in` in the order of `sources`, `out` in that of `targets`.

namespace sparsecast::cuda {

template <class Kernel, class T>
struct RowOperands {
  const T* in[Kernel::reads];
  T* out[Kernel::writes];

  static RowOperands of(std::span<T* const> vectors) {
    RowOperands operands;
    for (int k = 0; k < Kernel::reads; ++k) operands.in[k] = vectors[Kernel::sources[k]];
    for (int k = 0; k < Kernel::writes; ++k) operands.out[k] = vectors[Kernel::targets[k]];
    return operands;
  }
};

/// The `packs` packs of every operand that a thread has under way: `first`, and as many times
/// `stride` further, as far as they are in front of pack `end`.
template <class Kernel, class T, int packs>
class RowPacks {
 public:
  __device__ void load(const RowOperands<Kernel, T>& operands, std::int64_t first,
                       std::int64_t stride, std::int64_t end) {
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      const std::int64_t i = first + p * stride;
      if (i >= end) continue;
#pragma unroll
      for (int k = 0; k < Kernel::reads; ++k) {
        in_[p][k] = reinterpret_cast<const Pack<T>*>(operands.in[k])[i];
      }
    }
  }

  /// Calls `apply(in, out)` for each row of the loaded packs and stores what it writes.
  template <class Apply>
  __device__ void apply(const RowOperands<Kernel, T>& operands, std::int64_t first,
                        std::int64_t stride, std::int64_t end, const Apply& apply) const {
    constexpr int width = Pack<T>::size;
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      const std::int64_t i = first + p * stride;
      if (i >= end) continue;
      Pack<T> out[Kernel::writes];
#pragma unroll
      for (int lane = 0; lane < width; ++lane) {
        T row_in[Kernel::reads];
        T row_out[Kernel::writes];
#pragma unroll
        for (int k = 0; k < Kernel::reads; ++k) row_in[k] = in_[p][k].values[lane];
        apply(row_in, row_out);
#pragma unroll
        for (int k = 0; k < Kernel::writes; ++k) out[k].values[lane] = row_out[k];
      }
#pragma unroll
      for (int k = 0; k < Kernel::writes; ++k) {
        reinterpret_cast<Pack<T>*>(operands.out[k])[i] = out[k];
      }
    }
  }

 private:
  Pack<T> in_[packs][Kernel::reads];
};

/// The rows behind the last whole pack, by the first threads of the first block.
template <class Kernel, class T, class Apply>
__device__ void apply_to_rest(const RowOperands<Kernel, T>& operands, std::int64_t size,
                              const Apply& apply) {
  constexpr int width = Pack<T>::size;
  const std::int64_t row = size / width * width + threadIdx.x;
  if (blockIdx.x != 0 || row >= size) return;
  T row_in[Kernel::reads];
  T row_out[Kernel::writes];
#pragma unroll
  for (int k = 0; k < Kernel::reads; ++k) row_in[k] = operands.in[k][row];
  apply(row_in, row_out);
#pragma unroll
  for (int k = 0; k < Kernel::writes; ++k) operands.out[k][row] = row_out[k];
}

}  // namespace sparsecast::cuda
