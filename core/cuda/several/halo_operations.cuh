#pragma once

#include <cstdint>

#include "core/cuda/device/warp.cuh"
#include "core/cuda/several/halo_push.cuh"
#include "core/cuda/several/halo_wait.cuh"
#include "core/cuda/several/link_operations.cuh"

/// @file
/// How kernels wait for what other devices store into their input, and store what others need of
/// the rows that they have computed.

namespace sparsecast::cuda {

/// Whether a block row, in natural order, gathers another segment's values.
__device__ inline bool concerns(const HaloWait& halo, std::int32_t natural_row) {
  return (__ldg(halo.outside + natural_row / 32) >> (natural_row % 32) & 1) != 0;
}

/// Returns when all that one of the warp's lanes gathers is there, or the run has ended, whose
/// results do not matter; all lanes ask.
__device__ inline void await_input(const HaloWait& halo, bool gathers_outside) {
  if (__any_sync(whole_warp, gathers_outside)) wait_for_parts(halo.links, halo.senders);
}

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
        const std::int64_t place = targets.packed
                                       ? sent[u].before + __popc(sent[u].rows & ((1u << lane) - 1))
                                       : std::int64_t{sent[u].group} * warp_size + lane;
        targets.to[sent[u].target][place] = value[u];
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

/// How a kernel that takes its rows part by part (`fused_rows_per_part`) sends those that others
/// need; `sends`: whether it ever does. It holds little: these kernels have few registers left.
template <class T, int threads, bool sends>
class PartSender {
 public:
  /// Once the gate is open. Without `part_begins` it sends nothing.
  __device__ explicit PartSender(const HaloPush<T>* push)
      : push_(*push), sends_now_(push->part_begins != nullptr) {
    if (sends_now_) turn_ = __ldcg(&push_.turns->exchanges) + 1;
  }

  /// The part that a block takes in a place of its order: those of which something is sent first.
  static __device__ std::int64_t part_of(const HaloPush<T>* push, std::int64_t place,
                                         std::int64_t parts) {
    const std::int64_t part = place + push->first_part;
    return part >= parts ? part - parts : part;
  }

  /// By the last block that has asked, in one thread: the exchange counts.
  __device__ void end_turn() const {
    if (sends_now_) push_.turns->exchanges = turn_;
  }

  /// What is sent of a part that this block has computed and stored; all threads. Behind the parts
  /// with whole packs is one of the rows that fill none.
  __device__ void send(std::int64_t part, const T* own) const {
    if (sends_now_) push_part<T, threads>(push_, part, own, turn_);
  }

  /// The same where these rows belong to the last of the kernel's parts.
  __device__ void send_with_rest(std::int64_t part, std::int64_t parts, std::int64_t rows,
                                 const T* own) const {
    if (!sends_now_) return;
    constexpr std::int64_t rows_each = fused_rows_per_part<T>();
    const std::int64_t whole = (rows / Pack<T>::size * Pack<T>::size + rows_each - 1) / rows_each;
    if (part < whole) send(part, own);
    if (part == parts - 1) send(whole, own);
  }

 private:
  const HaloPush<T>& push_;
  bool sends_now_;
  std::uint32_t turn_ = 0;
};

template <class T, int threads>
class PartSender<T, threads, false> {
 public:
  __device__ explicit PartSender(const HaloPush<T>*) {}
  static __device__ std::int64_t part_of(const HaloPush<T>*, std::int64_t place, std::int64_t) {
    return place;
  }
  __device__ void end_turn() const {}
  __device__ void send(std::int64_t, const T*) const {}
  __device__ void send_with_rest(std::int64_t, std::int64_t, std::int64_t, const T*) const {}
};

}  // namespace sparsecast::cuda
