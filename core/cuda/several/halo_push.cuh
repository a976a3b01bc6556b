#pragma once

#include <cstdint>

#include "core/cuda/device/block_sum.cuh"
#include "core/cuda/device/pack.cuh"
#include "core/cuda/several/device_links.cuh"

/// @file
/// How kernels store what other devices need of the rows that they have computed.

namespace sparsecast::cuda {

inline constexpr int fused_threads = 256;
/// 16-byte packs of each operand that a thread has under way.
inline constexpr int fused_packs = 2;

/// Rows that a thread block takes at a time.
template <class T>
constexpr std::int64_t fused_rows_per_part() {
  return fused_threads * fused_packs * Pack<T>::size;
}

/// Up to 32 neighbouring rows of the own segment that another device needs.
struct SentRows {
  std::uint32_t rows = 0;  ///< a bit for each
  std::int32_t group = 0;  ///< the first is 32 times this
  std::int32_t target = 0;
};

/// Where the own part goes to.
template <class T>
struct PushTargets {
  int count = 0;
  T* to[most_devices];                 ///< the place of the own first row
  std::uint32_t* flags[most_devices];  ///< of the receivers, all of them
  int flag_count = 0;
  bool all_rows = true;  ///< to all targets; otherwise those that are listed
  const SentRows* sent = nullptr;
  std::int64_t sent_count = 0;
};

/// What a kernel needs that stores halo values itself, as soon as it has computed them.
template <class T>
struct HaloPush {
  PushTargets<T> targets;
  /// Of `sent`, for parts of the kernel's rows, and behind them for the rows that fill no pack.
  const std::int32_t* part_begins = nullptr;  ///< null: stores nothing
  int sending_parts = 0;                      ///< parts of which something is sent
  /// Where the kernel is to begin, so that what is sent is sent early; the parts in front come
  /// last.
  std::int64_t first_part = 0;
  DeviceTurns* turns = nullptr;
  std::int32_t* ticket = nullptr;  ///< 0 between launches
};

/// Stores of the own part what places [at, end) of `targets.sent` list, with a stride; a warp takes
/// up to 32 rows, several times at once.
template <class T>
__device__ void push_sent(const T* own, const PushTargets<T>& targets, std::int64_t at,
                          std::int64_t end, std::int64_t stride) {
  constexpr int at_once = 4;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  for (; at < end; at += at_once * stride) {
    SentRows sent[at_once];
    T value[at_once];
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      if (at + u * stride < end) sent[u] = targets.sent[at + u * stride];
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      if ((sent[u].rows >> lane & 1) != 0) {
        value[u] = __ldcg(own + std::int64_t{sent[u].group} * warp_size + lane);
      }
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      if ((sent[u].rows >> lane & 1) != 0) {
        targets.to[sent[u].target][std::int64_t{sent[u].group} * warp_size + lane] = value[u];
      }
    }
  }
}

/// Of the values of a part that this block has computed, stores those that others need, and a flag
/// behind the last part of all; all threads of the block call it. `turn`: of this exchange.
template <class T, int threads>
__device__ void push_part(const HaloPush<T>& push, std::int64_t part, const T* own,
                          std::uint32_t turn) {
  const std::int32_t end = __ldg(push.part_begins + part + 1);
  const std::int32_t begin = __ldg(push.part_begins + part);
  if (begin == end) return;
  __shared__ bool last;
  const int thread = static_cast<int>(threadIdx.x);
  __syncthreads();
  push_sent(own, push.targets, begin + thread / warp_size, end, threads / warp_size);
  __threadfence_system();  // each thread for what it has stored itself
  __syncthreads();
  if (thread == 0) {
    int earlier = 0;
    asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;"
                 : "=r"(earlier)
                 : "l"(push.ticket)
                 : "memory");
    last = earlier == push.sending_parts - 1;
    if (last) *push.ticket = 0;
  }
  __syncthreads();
  if (last && thread < push.targets.flag_count) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(push.targets.flags[thread]), "r"(turn)
                 : "memory");
  }
}

}  // namespace sparsecast::cuda
