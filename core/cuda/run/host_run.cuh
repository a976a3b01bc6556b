#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/cuda/several/host_meeting.cuh"
#include "core/cuda/vector/vector_kernels.cuh"
#include "core/engine/backend.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast::cuda {

/// What an exchange completes on a device.
struct HostExchange {
  const void* own_part = nullptr;
  void* whole = nullptr;
};

/// A device's place among several that run the same steps, each on its host thread.
struct HostPeers {
  HostMeeting* meeting = nullptr;  ///< null: the device is alone
  int place = 0;
};

/// A list of steps with the host in charge, as in the paper: kernels are launched one by one; where
/// the host needs sums, all scalars come to it. It carries out assignments, guards and checks and
/// sends scalars back before the next kernel. Sums of several kernels that are needed together are
/// waited for once. Several devices add up each sum at once, and every thread does so with the same
/// sums, so that all go the same way.
class HostRun {
 public:
  /// `launches`: per step, of its kernel alone. `exchanges`: per step, where there are peers.
  /// `scalars`: on the device. `runs`: per step, where exchanges and barriers are counted.
  HostRun(std::span<const Step> steps, std::span<const std::vector<Launch>> launches,
          std::span<const HostExchange> exchanges, std::span<double> scalars,
          std::span<std::int64_t> runs, const HostPeers& peers, cudaStream_t stream)
      : steps_(steps),
        launches_(launches),
        exchanges_(exchanges),
        scalars_(scalars),
        runs_(runs),
        peers_(peers),
        stream_(stream),
        values_(scalars.size()) {}

  /// Up to so many iterations; nothing if the devices' meeting was stopped. Gates of kernels are
  /// open, and stay so.
  std::optional<RunReport> run(std::int64_t iterations);

  /// Adds up, over all devices, scalars that each has summed up on its own. False if the devices'
  /// meeting was stopped.
  bool add_over_devices(std::span<const ScalarSlot> slots);

  std::int64_t launched() const { return launched_; }
  /// How often the host waited for the device.
  std::int64_t waits() const { return waits_; }

 private:
  enum class Going { on, ended, stopped };

  void fetch();
  /// Where the device has summed since.
  void fetch_new_sums();
  void send();
  void synchronize();
  Going iterate(RunReport& report);
  /// False: the devices' meeting was stopped.
  bool add_up(std::span<const ScalarSlot> slots);
  /// What a kernel has summed: at once over several devices, else when it is needed.
  bool take_sums(std::span<const ScalarSlot> slots);
  bool exchange(std::size_t step);

  std::span<const Step> steps_;
  std::span<const std::vector<Launch>> launches_;
  std::span<const HostExchange> exchanges_;
  std::span<double> scalars_;
  std::span<std::int64_t> runs_;
  const HostPeers peers_;
  cudaStream_t stream_;
  std::vector<double> values_;
  std::vector<double> sums_;
  bool changed_ = false;   ///< values, since the device got them
  bool has_sums_ = false;  ///< the device, that are not in values
  std::int64_t launched_ = 0;
  std::int64_t waits_ = 0;
};

}  // namespace sparsecast::cuda
