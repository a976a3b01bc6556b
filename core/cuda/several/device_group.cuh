#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/stream.cuh"
#include "core/cuda/run/run_state.cuh"
#include "core/cuda/several/device_links.cuh"
#include "core/workload/exchange_mode.hpp"

namespace sparsecast::cuda {

/// Whether each of the devices can be given access to the memory of each other one.
bool all_reach_each_other(const std::vector<GpuPart>& devices);

/// Gives each of the devices access to the memory of each other one, for as long as the process
/// lives. Another one may be the current device afterwards.
void let_reach_each_other(const std::vector<GpuPart>& devices);

/// The way that the devices exchange a vector when they are asked for `wanted`: staged where they
/// do not reach each other's memory, and never `automatic`. Throws `Error` for those of ranks.
ExchangeMode possible_exchange(ExchangeMode wanted, const std::vector<GpuPart>& devices);

/// Devices that run one schedule together: what lets their kernels reach each other, and ends the
/// run on all when it is impossible on one.
class DeviceGroup {
 public:
  /// `exchange` is one that `possible_exchange` returns. Kernels wait for another device at most
  /// `patience_seconds`.
  DeviceGroup(const std::vector<GpuPart>& devices, ExchangeMode exchange, double patience_seconds);
  ~DeviceGroup();
  DeviceGroup(const DeviceGroup&) = delete;
  DeviceGroup& operator=(const DeviceGroup&) = delete;

  int size() const { return static_cast<int>(devices_.size()); }
  ExchangeMode exchange() const { return exchange_; }

  /// For kernels of one of the devices, given by its place, that work on this state. One device has
  /// nothing to link.
  DeviceLinks links(int place, RunState* state) const;

  /// Ends what runs on all devices, for good.
  void stop();
  bool stopped() const { return stopped_; }

  /// Throws `Error` if a run has ended so because a device did not answer, and does nothing if the
  /// host has stopped it: what made it do so is known already.
  void require_answers(std::int32_t ended) const;

  /// On each device.
  std::int64_t bytes() const;

 private:
  const std::vector<GpuPart> devices_;
  const ExchangeMode exchange_;
  const double patience_seconds_;
  std::atomic<bool> stopped_ = false;
  std::vector<DeviceArray<DeviceInbox>> inboxes_;  ///< where devices reach each other's memory
  PinnedArray<DeviceInbox> host_inboxes_;          ///< elsewhere
  std::vector<DeviceArray<DeviceTurns>> turns_;
  PinnedArray<std::int32_t> stop_word_;
};

}  // namespace sparsecast::cuda
