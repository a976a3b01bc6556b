#include "core/cuda/vector/fused_cg_kernels.cuh"

#include <algorithm>

#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/halo_operations.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/cuda/vector/row_packs.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int packs = fused_packs;

// Kernels of `RowPacks`, which also add to sums; `sent`: which of their targets they may send to
// other devices. (To go through the rows from the last to the
// first, where the kernel before has just been, was measured: on an H200 it gains nothing, nor do
// loads and stores marked as the last.)

template <class T>
struct CgStart {
  static constexpr int reads = 3, writes = 2, scalars = 0, sums = 2, sent = -1;
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
  static constexpr int reads = 3, writes = 1, scalars = 1, sums = 2, sent = -1;
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
  static constexpr int reads = 3, writes = 2, scalars = 2, sums = 0, sent = 0;
  static constexpr int sources[reads] = {0, 1, 2};  // z, v, x
  static constexpr int targets[writes] = {1, 2};    // v, x
  static __device__ void apply(const T (&in)[reads], T (&out)[writes], const T* t_and_s, double*) {
    out[0] = in[0] + t_and_s[1] * in[1];
    out[1] = in[2] + t_and_s[0] * in[1];
  }
};

struct ScalarSlots {
  int slots[2];
};

/// Each block takes a part of `packs * fused_threads` packs at a time, with the grid's stride.
template <class Kernel, class T>
__global__ void __launch_bounds__(fused_threads)
    by_row(Gate gate, RowOperands<Kernel, T> operands, ScalarSlots scalar_slots,
           const __grid_constant__ BlockFinish finish, const __grid_constant__ HaloPush<T> push,
           std::int64_t size) {
  constexpr int part = packs * fused_threads;
  const std::int64_t whole = size / Pack<T>::size;
  const std::int64_t parts = (whole + part - 1) / part;
  RowPacks<Kernel, T, packs> rows;
  using Sender = PartSender<T, fused_threads, (Kernel::sent >= 0)>;
  const auto part_of = [&](std::int64_t place) { return Sender::part_of(&push, place, parts); };
  const auto first_of = [](std::int64_t index) { return index * part + threadIdx.x; };
  wait_for_kernel_before();
  // Under way while the gate is asked.
  if (blockIdx.x < parts) rows.load(operands, first_of(part_of(blockIdx.x)), fused_threads, whole);
  T scalars[2] = {};
#pragma unroll
  for (int k = 0; k < Kernel::scalars; ++k) {
    scalars[k] = static_cast<T>(gate.scalars[scalar_slots.slots[k]]);
  }
  if (!enters(gate)) return;
  const Sender sender(&push);
  if constexpr (Kernel::sums == 0) {
    if (finish.active() && last_block(finish.tickets)) {
      if (threadIdx.x == 0) sender.end_turn();
      end_kernel<fused_threads>(finish);
    }
  }
  double sums[Kernel::sums > 0 ? Kernel::sums : 1] = {};
  const auto apply = [&](const auto& in, auto& out) { Kernel::apply(in, out, scalars, sums); };
  for (std::int64_t place = blockIdx.x; place < parts; place += gridDim.x) {
    const std::int64_t index = part_of(place);
    if (place != blockIdx.x) rows.load(operands, first_of(index), fused_threads, whole);
    rows.apply(operands, first_of(index), fused_threads, whole, apply);
    if constexpr (Kernel::sent >= 0) sender.send(index, operands.out[Kernel::sent]);
  }
  apply_to_rest<Kernel>(operands, size, apply);
  if constexpr (Kernel::sent >= 0) {
    if (blockIdx.x == 0) sender.send(parts, operands.out[Kernel::sent]);
  }
  if constexpr (Kernel::sums > 0) {
    if (finish.active()) finish_block<fused_threads>(finish, sums);
  }
}

template <class Kernel, class T>
Launch by_row_launch(const Step& step, std::span<T* const> vectors, std::int64_t size,
                     const Gate& gate, const BlockFinish& finish, const LaunchShape& shape,
                     const HaloPush<T>& push = {}) {
  const auto operands = RowOperands<Kernel, T>::of(vectors);
  ScalarSlots scalars{};
  for (int k = 0; k < Kernel::scalars; ++k) scalars.slots[k] = step.scalars[k];
  const auto kernel = by_row<Kernel, T>;
  const std::int64_t values = Pack<T>::size * packs * fused_threads;
  const std::int64_t parts = std::max<std::int64_t>(1, (size + values - 1) / values);
  // With sums a block for each part gains nothing: they take longer then, in any way of adding.
  const bool streams = Kernel::sums == 0 && shape.streams<T>(size);
  const std::int64_t blocks = streams ? parts
                                      : std::min({parts, resident_blocks(kernel, fused_threads),
                                                  shape.most_finishing_blocks()});
  BlockFinish complete = finish;
  complete.parts = blocks;
  return [=](cudaStream_t stream) {
    launch_early(kernel, static_cast<unsigned>(blocks), fused_threads, stream, gate, operands,
                 scalars, complete, push, size);
  };
}

}  // namespace

bool is_fused_cg_kernel(std::string_view name) {
  return name == "CGStart" || name == "CGResidual" || name == "CGDirection";
}

template <class T>
Launch fused_cg_launch(const Step& step, std::span<T* const> vectors, std::int64_t size,
                       const Gate& gate, const BlockFinish& finish, const LaunchShape& shape,
                       const HaloPush<T>& push) {
  if (step.name == "CGStart") {
    return by_row_launch<CgStart<T>, T>(step, vectors, size, gate, finish, shape);
  }
  if (step.name == "CGResidual") {
    return by_row_launch<CgResidual<T>, T>(step, vectors, size, gate, finish, shape);
  }
  return by_row_launch<CgDirection<T>, T>(step, vectors, size, gate, finish, shape, push);
}

template Launch fused_cg_launch(const Step&, std::span<float* const>, std::int64_t, const Gate&,
                                const BlockFinish&, const LaunchShape&, const HaloPush<float>&);
template Launch fused_cg_launch(const Step&, std::span<double* const>, std::int64_t, const Gate&,
                                const BlockFinish&, const LaunchShape&, const HaloPush<double>&);

}  // namespace sparsecast::cuda
