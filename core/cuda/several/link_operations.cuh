#pragma once

#include <cstdint>

#include "core/cuda/several/device_links.cuh"

/// @file
/// How the kernels of several devices that run one schedule together reach each other: sums travel
/// in packets that carry a tag, so that data and signal are one store; values of vectors are stored
/// where they are needed, and a flag behind them. Every wait ends by itself when the other device
/// does not answer, or when the host wants the run to end.

namespace sparsecast::cuda {

__device__ inline std::int64_t nanoseconds_now() {
  std::int64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ inline std::uint32_t load_relaxed(const std::uint32_t* from) {
  std::uint32_t value;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

__device__ inline std::uint32_t load_acquire(const std::uint32_t* from) {
  std::uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

/// A thread that waits for another device.
class LinkWait {
 public:
  __device__ LinkWait(const DeviceLinks& links, int device) : links_(links), device_(device) {}

  /// To be asked after a look in vain: whether to look again. If not, the run has ended.
  __device__ bool goes_on() {
    constexpr unsigned looks = 512;  // between looks at the time and at the host
    if (++looks_ % looks != 0) return true;
    const std::int64_t now = nanoseconds_now();
    if (looks_ == looks) start_ = now;
    const bool stopped = load_relaxed(reinterpret_cast<const std::uint32_t*>(links_.stopped)) != 0;
    if (!stopped && now - start_ <= links_.patience) return true;
    *links_.ended = stopped ? ended_by_host : ended_without(device_);
    return false;
  }

 private:
  const DeviceLinks& links_;
  const int device_;
  std::int64_t start_ = 0;
  unsigned looks_ = 0;
};

__device__ inline void send(LinkedSum* to, double value, std::uint32_t tag) {
  const auto bits = static_cast<std::uint64_t>(__double_as_longlong(value));
  const std::uint64_t upper = std::uint64_t{tag} << 32;
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(to),
               "l"(upper | (bits & 0xffffffffu)), "l"(upper | bits >> 32)
               : "memory");
}

/// False: not there yet.
__device__ inline bool receive(const LinkedSum* from, std::uint32_t tag, double& value) {
  LinkedSum got;
  asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(got.low), "=l"(got.high)
               : "l"(from)
               : "memory");
  if (got.low >> 32 != tag || got.high >> 32 != tag) return false;
  value = __longlong_as_double(static_cast<long long>(got.high << 32 | (got.low & 0xffffffffu)));
  return true;
}

/// What a sum over devices needs to know; to be asked early.
struct SumTurn {
  std::uint32_t tag = 0;
  std::int32_t ended = 0;  ///< not 0: a thread of this kernel has waited in vain
};
__device__ inline SumTurn next_sum(const DeviceLinks& links) {
  return {__ldcg(&links.turns->sums) + 1, __ldcg(links.ended)};
}

/// Adds up what lane 0 has on all devices, in the devices' order, by all lanes of a warp;
/// afterwards lane 0 knows the totals. False: the run has ended without them.
template <int count>
__device__ bool add_over_devices(const DeviceLinks& links, const SumTurn& turn,
                                 double (&sums)[count]) {
  static_assert(count <= most_linked_sums && count * most_devices <= 32);
  constexpr unsigned all = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int device = lane / count;
  const std::uint32_t tag = turn.tag;
  bool there = turn.ended == 0;
  double value = 0;
#pragma unroll
  for (int k = 0; k < count; ++k) {
    const double own = __shfl_sync(all, sums[k], 0);
    if (lane % count == k) value = own;
  }
  if (there && device < links.count && device != links.own) {
    send(&links.inboxes[device]->sums[tag % 2][links.own][lane % count], value, tag);
    const LinkedSum* from = &links.inboxes[links.own]->sums[tag % 2][device][lane % count];
    LinkWait wait(links, device);
    while (!receive(from, tag, value) && there) there = wait.goes_on();
  }
  there = __all_sync(all, there);
#pragma unroll
  for (int k = 0; k < count; ++k) sums[k] = 0;
#pragma unroll 1
  for (int other = 0; other < links.count; ++other) {
#pragma unroll
    for (int k = 0; k < count; ++k) sums[k] += __shfl_sync(all, value, other * count + k);
  }
  if (lane == 0) links.turns->sums = tag;
  return there;
}

/// The same of up to `most_linked_block_sums` sums in shared memory, by all threads of a block,
/// each of which has one of them, if any.
__device__ inline bool add_over_devices(const DeviceLinks& links, const SumTurn& turn, int count,
                                        double* sums) {
  const auto k = static_cast<int>(threadIdx.x);
  const std::uint32_t tag = turn.tag;
  bool there = turn.ended == 0;
  if (there && k < count) {
    for (int other = 0; other < links.count; ++other) {
      if (other == links.own) continue;
      send(&links.inboxes[other]->block_sums[tag % 2][links.own][k], sums[k], tag);
    }
    double total = 0;
    for (int other = 0; other < links.count; ++other) {
      double value = sums[k];
      const LinkedSum* from = &links.inboxes[links.own]->block_sums[tag % 2][other][k];
      LinkWait wait(links, other);
      while (other != links.own && there && !receive(from, tag, value)) there = wait.goes_on();
      total += value;
    }
    sums[k] = total;
  }
  there = __syncthreads_and(there) != 0;
  if (k == 0) links.turns->sums = tag;
  return there;
}

/// Waits, by all lanes of a warp, until the parts of the run's latest exchange are there from the
/// devices that `senders` has a bit for; what they stored may then be read. False: the run has
/// ended without them.
__device__ inline bool wait_for_parts(const DeviceLinks& links, std::uint32_t senders) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  bool there = true;
  if (lane < links.count && (senders >> lane & 1) != 0) {
    const std::uint32_t expected = __ldcg(&links.turns->exchanges);
    // Who begins to wait after others have waited in vain does not: one patience for all rows.
    there = __ldcg(links.ended) == 0;
    const std::uint32_t* from = &links.inboxes[links.own]->exchanges[lane];
    const auto is_there = [expected](std::uint32_t arrived) {
      return static_cast<std::int32_t>(arrived - expected) >= 0;
    };
    LinkWait wait(links, lane);
    // To acquire empties the first-level cache, which others use meanwhile: not at every look.
    while (there && !is_there(load_acquire(from))) {
      while (there && !is_there(load_relaxed(from))) there = wait.goes_on();
    }
  }
  there = __all_sync(0xffffffffu, there);
  __syncwarp();  // for the other lanes' loads, too
  return there;
}

}  // namespace sparsecast::cuda
