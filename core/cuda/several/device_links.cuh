#pragma once

#include <cstdint>

#include "core/base/host_device.hpp"
#include "core/workload/linked_devices.hpp"

/// @file
/// What kernels of several devices that run one schedule together know of each other
/// (`link_operations.cuh` says how they meet).

namespace sparsecast::cuda {

/// Devices that run one schedule together, at most.
inline constexpr int most_devices = most_linked_devices;
/// Sums that a warp adds up together, at most, and those that a thread block does.
inline constexpr int most_linked_sums = 4;
inline constexpr int most_linked_block_sums = 64;

/// A sum, in two halves that arrive by themselves, each with the tag in its upper half.
struct alignas(16) LinkedSum {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// Where other devices write to.
struct DeviceInbox {
  /// By parity of the sum's tag: nobody gets two sums ahead.
  LinkedSum sums[2][most_devices][most_linked_sums];
  LinkedSum block_sums[2][most_devices][most_linked_block_sums];
  std::uint32_t exchanges[most_devices];  ///< of each sender: how many of its parts are there
};

/// How many sums and exchanges a device has behind it.
struct DeviceTurns {
  std::uint32_t sums = 0;
  std::uint32_t exchanges = 0;
};

/// What a kernel knows of the devices of its run. The same on one device, which has none beside it.
struct DeviceLinks {
  int count = 1;
  int own = 0;
  DeviceInbox* inboxes[most_devices] = {};
  DeviceTurns* turns = nullptr;           ///< the device's own
  std::int32_t* ended = nullptr;          ///< of the device's own `RunState`
  const std::int32_t* stopped = nullptr;  ///< in host memory: not 0 when the run is to end
  std::int64_t patience = 0;              ///< nanoseconds
};

/// `RunState::ended` of a run that another device has made impossible: it has not answered, or the
/// host has stopped the run.
SPARSECAST_HOST_DEVICE constexpr std::int32_t ended_without(int device) {
  return -1 - device;
}
inline constexpr std::int32_t ended_by_host = -1 - most_devices;

}  // namespace sparsecast::cuda
