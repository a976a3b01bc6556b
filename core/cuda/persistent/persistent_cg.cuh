#pragma once

#include <cstdint>

#include "core/cuda/persistent/persistent_matrix.cuh"
#include "core/cuda/run/run_state.cuh"

/// @file
/// All iterations of `fused_cg_schedule()` in one cooperative kernel.

namespace sparsecast::cuda {

/// Sums on their way from one thread block to others, in one 16-byte access: who waits for them
/// looks until they carry the tag of the iteration, so that no other order of memory is needed.
struct alignas(16) SumPacket {
  std::uint64_t first;
  std::uint64_t second;
};

/// The same for a vector value.
template <class T>
struct HaloPacket;
template <>
struct alignas(8) HaloPacket<float> {
  float value;
  std::uint32_t tag;
};
template <>
struct alignas(16) HaloPacket<double> {
  double value;
  std::uint64_t tag;
};

/// Every packet of sums is there so often: fewer blocks wait at the same memory then.
inline constexpr int sum_copies = 4;

/// Thread blocks of a cluster, at most.
inline constexpr int most_cluster_blocks = 16;

/// Slots of the schedule's scalars.
struct CgScalarSlots {
  int alpha, beta, s, t, p_Ap, r_r, zero, beta_minimum, stalled, beta_floor, patience,
      r_r_threshold;
};

/// Memory of the schedule, and scratch.
template <class T>
struct PersistentCgMemory {
  T* x = nullptr;
  const T* c = nullptr;
  T* z = nullptr;
  T* u = nullptr;
  T* v = nullptr;                     ///< followed by `input_padding` zeros
  T* d = nullptr;                     ///< scratch: 1 / c
  HaloPacket<T>* halo = nullptr;      ///< one an unknown
  SumPacket* sums = nullptr;          ///< 2 * `sum_copies` a thread block
  std::uint64_t* last_tag = nullptr;  ///< of the launch before
  CgScalarSlots slots;
  RunMemory run;
  int check_step = 0;  ///< index of the check of p.Ap in the iteration's steps, which are `steps`
  int steps = 0;
};

/// Runs iterations until the run ends, at most `limit`. Halo packets and `last_tag` are 0 before
/// the first launch.
template <class T>
void launch_persistent_cg(cudaStream_t stream, const PersistentMatrix<T>& matrix,
                          const PersistentCgMemory<T>& memory, std::int64_t limit);

/// Whether the current device has room for all thread blocks of the shape as one cluster.
template <class T>
bool persistent_cg_fits_cluster(int block_size, const PersistentShape& shape);

}  // namespace sparsecast::cuda
