#pragma once

#include <cstdint>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/stream.cuh"
#include "core/cuda/ranks/peer_memory.cuh"
#include "core/cuda/run/run_state.cuh"
#include "core/cuda/several/device_links.cuh"
#include "core/engine/ranks/communicator.hpp"

namespace sparsecast::cuda {

/// What lets the kernels of one GPU a rank reach each other, as `DeviceGroup` does for the devices
/// of one process.
class RankLinks {
 public:
  /// Of at most `most_devices` ranks, on the current device, which reaches those of the others.
  /// Kernels wait for another rank's GPU at most `patience_seconds`. All ranks call it.
  RankLinks(Communicator& ranks, double patience_seconds);

  /// For kernels that work on this state.
  DeviceLinks of(RunState* state) const;

  /// Throws `Error` if a run has ended so because a GPU did not answer.
  void require_answers(std::int32_t ended) const;

  /// Forgets the others' memory, which they may then free.
  void close() { inboxes_ = PeerMemory(); }

  /// On the device.
  std::int64_t bytes() const { return static_cast<std::int64_t>(inbox_.bytes() + turns_.bytes()); }

 private:
  const int rank_;
  const int size_;
  const double patience_seconds_;
  DeviceArray<DeviceInbox> inbox_;
  DeviceArray<DeviceTurns> turns_;
  PinnedArray<std::int32_t> stop_word_;  ///< never set: who fails ends all processes
  PeerMemory inboxes_;
};

}  // namespace sparsecast::cuda
