#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/partition.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cuda/device/stream.cuh"
#include "core/schedule/vector_pass.hpp"

namespace sparsecast::cuda {

/// Where the hosts of several devices meet in launch mode `host`: sums and vectors of all devices
/// go through host memory, as in the paper (section 4.3). All hosts call the same functions in the
/// same order. What waits returns false when the run has been stopped, for good.
class HostMeeting {
 public:
  virtual ~HostMeeting() = default;

  /// Replaces the sums of the device at this place by those over all devices, added in an order
  /// that depends on their number alone, so that all get the same bits.
  virtual bool add_up(int place, std::span<double> sums) = 0;

  /// Brings the other devices' parts of a full vector to the device at this place, which is the
  /// current one and has computed `own_part` in earlier work of the stream. Returns when they are
  /// on their way: later work of the stream finds them.
  virtual bool exchange(int place, const void* own_part, void* whole, cudaStream_t stream) = 0;

  /// All wait for each other.
  virtual bool wait() = 0;
};

/// That of the threads of one process, one a device.
class ThreadMeeting final : public HostMeeting {
 public:
  /// That are added up at once, at most.
  static constexpr std::size_t most_sums = most_step_sums;

  /// For vectors of values of so many bytes, in these segments.
  ThreadMeeting(std::span<const Segment> segments, std::size_t value_bytes);

  int size() const { return static_cast<int>(segments_.size()); }

  bool add_up(int place, std::span<double> sums) override;
  bool exchange(int place, const void* own_part, void* whole, cudaStream_t stream) override;
  bool wait() override { return barrier_.wait(); }

  /// Ends every wait, now and later.
  void stop() { barrier_.stop(); }

 private:
  /// Apart, so that no two threads write to one line.
  struct alignas(64) Turns {
    std::size_t sums = 0;
    std::size_t exchanges = 0;
  };

  const std::vector<Segment> segments_;
  const std::size_t value_bytes_;
  Barrier barrier_;
  std::vector<Turns> turns_;
  /// In turns: who is late with the last one may still read while the next is written, and nobody
  /// gets further ahead.
  std::vector<double> sums_[2];
  PinnedArray<std::byte> vectors_[2];
};

}  // namespace sparsecast::cuda
