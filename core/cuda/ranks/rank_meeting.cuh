#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/cuda/device/stream.cuh"
#include "core/cuda/several/host_meeting.cuh"
#include "core/cuda/several/packed_values.cuh"
#include "core/engine/ranks/rank_part.hpp"

namespace sparsecast::cuda {

/// Where the messages between ranks with a GPU each lie.
enum class MessageMemory {
  host,  ///< copied there and back
  gpu,   ///< the communicator carries that (`carries_gpu_memory`)
};

/// That of ranks with a GPU each, which need not reach each other's memory: what a halo needs is
/// packed on the GPU, and the hosts send it. A rank that fails does not come here any more, and the
/// communicator ends those that wait for it.
template <class T>
class RankMeeting final : public HostMeeting {
 public:
  /// On the current device. With messages in its memory the vectors that are exchanged are
  /// allocations of `MemoryKind::own`.
  RankMeeting(const RankPart& part, MessageMemory messages);

  bool add_up(int place, std::span<double> sums) override;
  bool exchange(int place, const void* own_part, void* whole, cudaStream_t stream) override;
  bool wait() override;

  /// On the device.
  std::int64_t bytes() const { return packed_.bytes(); }

 private:
  /// What is sent and received, packed in host memory.
  struct HostMessages {
    RankPart part;  ///< whose halo lies so
    PinnedArray<T> sent;
    PinnedArray<T> received;
  };

  void exchange_in_host(T* whole, cudaStream_t stream);

  const RankPart& part_;
  PackedValues<T> packed_;
  std::optional<HostMessages> host_;  ///< where messages lie there
};

}  // namespace sparsecast::cuda
