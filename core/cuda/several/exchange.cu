#include "core/cuda/several/exchange.cuh"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "core/cuda/device/block_sum.cuh"
#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/device/pack.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/halo_operations.cuh"
#include "core/cuda/several/link_operations.cuh"
#include "core/cuda/vector/block_finish.cuh"
#include "core/cuda/vector/finish_block.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;

/// All rows of a segment: packs, then the rows behind the last whole one.
template <class T>
__device__ void push_all(const T* part, std::int64_t rows, const PushTargets<T>& targets) {
  constexpr int width = Pack<T>::size;
  const std::int64_t whole = rows / width;
  const std::int64_t first = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  for (std::int64_t i = first; i < whole; i += std::int64_t{gridDim.x} * threads) {
    const int4 pack = __ldcg(reinterpret_cast<const int4*>(part) + i);
#pragma unroll 1
    for (int k = 0; k < targets.count; ++k) reinterpret_cast<int4*>(targets.to[k])[i] = pack;
  }
  const std::int64_t rest = whole * width + threadIdx.x;
  if (blockIdx.x != 0 || rest >= rows) return;
  for (int k = 0; k < targets.count; ++k) targets.to[k][rest] = __ldcg(part + rest);
}

template <class T>
__global__ void __launch_bounds__(threads)
    push(Gate gate, const T* part, std::int64_t rows,
         const __grid_constant__ PushTargets<T> targets, DeviceTurns* turns, std::int64_t* runs,
         std::int32_t* ticket) {
  wait_for_kernel_before();
  if (!enters(gate)) return;
  if (targets.all_rows) {
    push_all(part, rows, targets);
  } else {
    push_sent(part, targets, std::int64_t{blockIdx.x} * warps + threadIdx.x / warp_size,
              targets.sent_count, std::int64_t{gridDim.x} * warps);
  }
  // Each thread for what it has stored itself.
  __threadfence_system();
  if (!last_block(ticket)) return;
  const std::uint32_t turn = __ldcg(&turns->exchanges) + 1;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < targets.flag_count) {
    // Releases what all blocks stored, which have released it to this one.
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(targets.flags[thread]), "r"(turn)
                 : "memory");
  }
  if (thread == 0) {
    turns->exchanges = turn;
    if (runs != nullptr) ++*runs;
    *ticket = 0;
  }
}

/// One warp for all: where flags lie in host memory, a look from every thread block took a
/// microsecond each, one after the other.
__global__ void __launch_bounds__(warp_size)
    wait_for_all(Gate gate, const __grid_constant__ DeviceLinks links, std::uint32_t senders) {
  wait_for_kernel_before();
  if (enters(gate)) wait_for_parts(links, senders);
}

/// Copies the staged values of other segments, which are there.
template <class T>
__global__ void __launch_bounds__(threads)
    pull(Gate gate, const T* staged, T* whole, Segment own, std::int64_t rows) {
  wait_for_kernel_before();
  if (!enters(gate)) return;
  constexpr int width = Pack<T>::size;
  // Segments begin at whole packs.
  const std::int64_t packs = (rows + width - 1) / width;
  const std::int64_t own_begin = own.begin_row / width;
  const std::int64_t own_end =
      own.end_row == own.begin_row ? own_begin : (own.end_row + width - 1) / width;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < packs;
       i += std::int64_t{gridDim.x} * threads) {
    if (i >= own_begin && i < own_end) continue;
    reinterpret_cast<int4*>(whole)[i] = __ldcv(reinterpret_cast<const int4*>(staged) + i);
  }
}

/// Which rows of a segment go to whom, in their order.
std::vector<SentRows> find_sent_rows(std::span<const ExchangePartners::Receiver> receivers) {
  std::vector<SentRows> sent;
  for (std::size_t target = 0; target < receivers.size(); ++target) {
    const auto begin = static_cast<std::ptrdiff_t>(sent.size());
    std::int32_t before = 0;
    for (const std::int32_t row : receivers[target].rows) {
      if (std::ssize(sent) == begin || sent.back().group != row / warp_size) {
        sent.push_back({0, row / warp_size, static_cast<std::int32_t>(target), before});
      }
      sent.back().rows |= std::uint32_t{1} << (row % warp_size);
      ++before;
    }
  }
  std::ranges::stable_sort(sent, {}, &SentRows::group);
  return sent;
}

/// Puts rows that fill no pack at the end, and returns where the parts begin and end.
template <class T>
std::vector<std::int32_t> cut_into_parts(std::vector<SentRows>& sent, std::int64_t rows) {
  const std::int64_t whole = rows / Pack<T>::size * Pack<T>::size;
  const std::int64_t rows_per_part = fused_rows_per_part<T>();
  std::vector<SentRows> rest;
  for (SentRows& some : sent) {
    const std::int64_t packed = std::clamp<std::int64_t>(whole - some.group * warp_size, 0, 32);
    const auto of_packs = static_cast<std::uint32_t>((std::uint64_t{1} << packed) - 1);
    if ((some.rows & ~of_packs) == 0) continue;
    SentRows& behind = rest.emplace_back(some);
    behind.rows &= ~of_packs;
    some.rows &= of_packs;
    behind.before += std::popcount(some.rows);
  }
  std::erase_if(sent, [](const SentRows& some) { return some.rows == 0; });
  std::vector<std::int32_t> begins;
  auto at = sent.begin();
  for (std::int64_t part = 0; part * rows_per_part < whole; ++part) {
    begins.push_back(static_cast<std::int32_t>(at - sent.begin()));
    while (at != sent.end() && at->group * warp_size < (part + 1) * rows_per_part) ++at;
  }
  begins.push_back(static_cast<std::int32_t>(sent.size()));
  sent.insert(sent.end(), rest.begin(), rest.end());
  begins.push_back(static_cast<std::int32_t>(sent.size()));
  return begins;
}

/// The first of the parts that are sent at the end of those of whole packs; 0 if the last is not.
std::int64_t find_first_part(const std::vector<std::int32_t>& begins) {
  const auto sends = [&](std::ptrdiff_t part) {
    return begins[static_cast<std::size_t>(part) + 1] > begins[static_cast<std::size_t>(part)];
  };
  const std::ptrdiff_t parts = std::ssize(begins) - 2;
  std::ptrdiff_t first = parts;
  while (first > 0 && sends(first - 1)) --first;
  return first == parts ? 0 : first;
}

}  // namespace

ExchangePartners partners_in_process(std::span<const Segment> segments,
                                     std::span<const SegmentHalo> halos, int place) {
  const auto own = static_cast<std::size_t>(place);
  ExchangePartners partners;
  partners.own = segments[own];
  partners.rows = segments.back().end_row;
  partners.sends_halos = !halos.empty();
  if (partners.sends_halos) partners.outside = halos[own].outside;
  for (std::size_t other = 0; other < segments.size(); ++other) {
    if (other == own) continue;
    if (!partners.sends_halos || !halos[own].needed[other].empty()) {
      partners.senders |= std::uint32_t{1} << other;
    }
    ExchangePartners::Receiver receiver{static_cast<int>(other), partners.own.begin_row, {}};
    if (partners.sends_halos) {
      receiver.rows = halos[other].needed[own];
      if (receiver.rows.empty()) continue;
      for (std::int32_t& row : receiver.rows) {
        row -= static_cast<std::int32_t>(partners.own.begin_row);
      }
    }
    partners.receivers.push_back(std::move(receiver));
  }
  return partners;
}

template <class T>
Exchange<T>::Exchange(const ExchangePartners& partners, int place, T* staging)
    : place_(place),
      own_(partners.own),
      rows_(partners.rows),
      sends_halos_(partners.sends_halos),
      packed_(partners.packed),
      staging_(staging),
      senders_(partners.senders) {
  for (const ExchangePartners::Receiver& each : partners.receivers) {
    receivers_.push_back({each.place, each.first});
  }
  if (!sends_halos_) return;
  std::vector<SentRows> sent = find_sent_rows(partners.receivers);
  const std::vector<std::int32_t> begins = cut_into_parts<T>(sent, own_.rows());
  for (std::size_t part = 0; part + 1 < begins.size(); ++part) {
    sending_parts_ += begins[part + 1] > begins[part] ? 1 : 0;
  }
  first_part_ = find_first_part(begins);
  sent_ = DeviceArray<SentRows>(std::span<const SentRows>(sent));
  part_begins_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(begins));
  outside_ = DeviceArray<std::uint32_t>(std::span<const std::uint32_t>(partners.outside));
}

template <class T>
PushTargets<T> Exchange<T>::push_targets(const std::vector<T*>& whole,
                                         const DeviceLinks& links) const {
  PushTargets<T> targets;
  for (const Receiver& receiver : receivers_) {
    targets.flags[targets.flag_count++] = &links.inboxes[receiver.place]->exchanges[place_];
    if (!is_staged()) {
      targets.to[targets.count++] =
          whole[static_cast<std::size_t>(receiver.place)] + receiver.first;
    }
  }
  if (is_staged()) targets.to[targets.count++] = staging_ + own_.begin_row;
  targets.all_rows = !sends_halos_;
  targets.packed = packed_;
  targets.sent = sent_.data();
  targets.sent_count = sent_.size();
  return targets;
}

template <class T>
HaloPush<T> Exchange<T>::halo_push(const std::vector<T*>& whole, const DeviceLinks& links,
                                   std::int32_t* ticket) const {
  return {push_targets(whole, links),
          part_begins_.data(),
          sending_parts_,
          first_part_,
          links.turns,
          ticket};
}

template <class T>
Launch Exchange<T>::push_launch(const T* part, const std::vector<T*>& whole, const Gate& gate,
                                const DeviceLinks& links, std::int64_t* runs, std::int32_t* ticket,
                                int multiprocessors) const {
  const PushTargets<T> targets = push_targets(whole, links);
  constexpr int packs_per_thread = 2;
  const std::int64_t per_block =
      sends_halos_ ? warps : std::int64_t{packs_per_thread} * threads * Pack<T>::size;
  const std::int64_t items = sends_halos_ ? sent_.size() : own_.rows();
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::int64_t>((items + per_block - 1) / per_block, 1, 4 * multiprocessors));
  return [=, rows = own_.rows(), turns = links.turns](cudaStream_t stream) {
    launch_early(push<T>, blocks, threads, stream, gate, part, rows, targets, turns, runs, ticket);
  };
}

template <class T>
Launch Exchange<T>::wait_launch(const Gate& gate, const DeviceLinks& links) const {
  return [=, senders = senders_](cudaStream_t stream) {
    launch_early(wait_for_all, 1, warp_size, stream, gate, links, senders);
  };
}

template <class T>
Launch Exchange<T>::copy_launch(T* whole, const Gate& gate, int multiprocessors) const {
  const std::int64_t per_block = std::int64_t{threads} * Pack<T>::size;
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::int64_t>((rows_ + per_block - 1) / per_block, 1, 2 * multiprocessors));
  return [=, staged = staging_, own = own_, rows = rows_](cudaStream_t stream) {
    launch_early(pull<T>, blocks, threads, stream, gate, staged, whole, own, rows);
  };
}

template <class T>
std::int64_t Exchange<T>::bytes() const {
  return static_cast<std::int64_t>(sent_.bytes() + part_begins_.bytes() + outside_.bytes());
}

template class Exchange<float>;
template class Exchange<double>;

}  // namespace sparsecast::cuda
