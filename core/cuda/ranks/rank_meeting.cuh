#pragma once

#include <cstdint>
#include <span>

#include "core/cuda/device/stream.cuh"
#include "core/cuda/several/host_meeting.cuh"
#include "core/cuda/several/packed_values.cuh"
#include "core/engine/ranks/rank_part.hpp"

namespace sparsecast::cuda {

/// That of ranks with a GPU each, which need not reach each other's memory: what a halo needs is
/// packed on the GPU, and goes through the hosts. A rank that fails does not come here any more,
/// and the communicator ends those that wait for it.
template <class T>
class RankMeeting final : public HostMeeting {
 public:
  /// On the current device.
  explicit RankMeeting(const RankPart& part);

  bool add_up(int place, std::span<double> sums) override;
  bool exchange(int place, const void* own_part, void* whole, cudaStream_t stream) override;
  bool wait() override;

  /// On the device.
  std::int64_t bytes() const { return packed_.bytes(); }

 private:
  const RankPart& part_;
  RankPart in_host_;  ///< the same, whose halo lies packed in host memory
  PackedValues<T> packed_;
  PinnedArray<T> sent_;
  PinnedArray<T> received_;
};

}  // namespace sparsecast::cuda
