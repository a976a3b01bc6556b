#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cuda/block_sum.cuh"
#include "core/cuda/device_array.cuh"
#include "core/cuda/device_group.cuh"
#include "core/cuda/run_state.cuh"
#include "core/cuda/vector_kernels.cuh"
#include "core/exchange_plan.hpp"
#include "core/partition.hpp"

/// @file
/// The exchange of a full vector: each device stores its own part where others need it, and a flag
/// behind it. Who reads the vector waits for the flags.

namespace sparsecast::cuda {

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

/// One device's side of exchanges.
template <class T>
class Exchange {
 public:
  /// Nothing to exchange.
  Exchange() = default;
  /// The device of this place in the group, on which the memory is allocated. `halos` are those of
  /// the segments where the group exchanges halos.
  /// `staging`: in host memory, where the values of all segments go through if they are staged,
  /// followed by zeros up to a whole pack.
  Exchange(const DeviceGroup& group, int place, std::span<const Segment> segments,
           std::span<const SegmentHalo> halos, T* staging);

  /// Of devices that send something, a bit each.
  std::uint32_t senders() const { return senders_; }
  /// Block rows that look up other segments' values, as `SegmentHalo::outside`; null where all may.
  const std::uint32_t* outside() const { return outside_.data(); }

  /// Stores the own part of the vector, which begins at `whole[place]` on each device, if the gate
  /// is open; that is counted in `runs` unless it is null. `ticket` is 0 between launches.
  Launch push_launch(const T* part, const std::vector<T*>& whole, const Gate& gate,
                     const DeviceLinks& links, std::int64_t* runs, std::int32_t* ticket,
                     int multiprocessors) const;
  /// Waits for the others' parts.
  Launch wait_launch(const Gate& gate, const DeviceLinks& links) const;
  /// Whether they are then in host memory, from where `copy_launch` copies them to `whole`.
  bool is_staged() const { return staging_ != nullptr; }
  Launch copy_launch(T* whole, const Gate& gate, int multiprocessors) const;
  /// Whether a kernel that computes the own part of a vector could send it.
  bool sends_halos() const { return sends_halos_; }
  /// Lets one do so, in parts of `fused_rows_per_part` rows.
  HaloPush<T> halo_push(const std::vector<T*>& whole, const DeviceLinks& links,
                        std::int32_t* ticket) const;

  /// Allocated on the device.
  std::int64_t bytes() const;

 private:
  int place_ = 0;
  Segment own_;
  std::int64_t rows_ = 0;  ///< of all segments
  bool sends_halos_ = false;
  T* staging_ = nullptr;
  std::uint32_t senders_ = 0;
  std::vector<int> receivers_;
  PushTargets<T> push_targets(const std::vector<T*>& whole, const DeviceLinks& links) const;

  DeviceArray<SentRows> sent_;
  DeviceArray<std::int32_t> part_begins_;  ///< of `sent_`, as `HaloPush` says
  int sending_parts_ = 0;
  std::int64_t first_part_ = 0;
  DeviceArray<std::uint32_t> outside_;
};

}  // namespace sparsecast::cuda
