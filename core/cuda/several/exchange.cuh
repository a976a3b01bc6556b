#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/exchange_plan.hpp"
#include "core/analysis/partition.hpp"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/run/run_state.cuh"
#include "core/cuda/several/device_links.cuh"
#include "core/cuda/several/halo_push.cuh"
#include "core/cuda/vector/vector_kernels.cuh"

/// @file
/// The exchange of a full vector: each device stores its own part where others need it, and a flag
/// behind it. Who reads the vector waits for the flags.

namespace sparsecast::cuda {

/// Whom a device exchanges a vector with, and what.
struct ExchangePartners {
  /// A device that gets values of this one's.
  struct Receiver {
    int place = 0;  ///< among the devices of the run
    /// Where in its vector they begin: those of all own rows, or of the sent ones if `packed`.
    std::int64_t first = 0;
    /// Whose values it gets, by numbers in the own segment, rising. Empty unless halos are sent.
    std::vector<std::int32_t> rows;
  };

  Segment own;
  std::int64_t rows = 0;     ///< of the whole vector
  bool sends_halos = false;  ///< otherwise all own rows go to all receivers
  bool packed = false;       ///< as in `PushTargets`
  std::vector<Receiver> receivers;
  std::uint32_t senders = 0;           ///< devices that send something, a bit each
  std::vector<std::uint32_t> outside;  ///< as in `SegmentHalo`, where halos are sent
};

/// Of the device with the segment at this place, of devices that have the whole vector each.
/// `halos`: of all segments, or none, where all values are exchanged.
ExchangePartners partners_in_process(std::span<const Segment> segments,
                                     std::span<const SegmentHalo> halos, int place);

/// One device's side of exchanges.
template <class T>
class Exchange {
 public:
  /// Nothing to exchange.
  Exchange() = default;
  /// The device of this place among those of the run; memory is allocated on the current device,
  /// which it is. `staging`: in host memory, where the values of all segments go through if they
  /// are staged, followed by zeros up to a whole pack.
  Exchange(const ExchangePartners& partners, int place, T* staging);

  /// Of devices that send something, a bit each.
  std::uint32_t senders() const { return senders_; }
  /// Block rows that look up other segments' values, as `SegmentHalo::outside`; null where all may.
  const std::uint32_t* outside() const { return outside_.data(); }

  /// Stores the own part of the vector, which is `whole[place]` on the device of that place (those
  /// of receivers matter), if the gate is open; that is counted in `runs` unless it is null.
  /// `ticket` is 0 between launches.
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
  bool packed_ = false;
  T* staging_ = nullptr;
  std::uint32_t senders_ = 0;
  struct Receiver {
    int place = 0;
    std::int64_t first = 0;
  };
  std::vector<Receiver> receivers_;

  PushTargets<T> push_targets(const std::vector<T*>& whole, const DeviceLinks& links) const;

  DeviceArray<SentRows> sent_;
  DeviceArray<std::int32_t> part_begins_;  ///< of `sent_`, as `HaloPush` says
  int sending_parts_ = 0;
  std::int64_t first_part_ = 0;
  DeviceArray<std::uint32_t> outside_;
};

}  // namespace sparsecast::cuda
