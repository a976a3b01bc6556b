#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/backend.hpp"
#include "core/cuda/vector_kernels.cuh"
#include "core/schedule.hpp"

namespace sparsecast::cuda {

/// A list of steps with the host in charge, as in the paper: kernels are launched one by one; after
/// each sum all scalars come to the host, which carries out assignments, guards and checks and
/// sends scalars back before the next kernel.
class HostRun {
 public:
  /// `launches`: per step, of its kernel alone. `scalars`: on the device. `runs`: per step, where
  /// exchanges and barriers are counted.
  HostRun(std::span<const Step> steps, std::span<const std::vector<Launch>> launches,
          std::span<double> scalars, std::span<std::int64_t> runs, cudaStream_t stream)
      : steps_(steps),
        launches_(launches),
        scalars_(scalars),
        runs_(runs),
        stream_(stream),
        values_(scalars.size()) {}

  /// Up to so many iterations. Gates of kernels are open, and stay so.
  RunReport run(std::int64_t iterations);

  std::int64_t launched() const { return launched_; }
  /// How often the host waited for the device.
  std::int64_t waits() const { return waits_; }

 private:
  void fetch();
  void send();
  /// One iteration; false when a check ended the run.
  bool iterate(RunReport& report);

  std::span<const Step> steps_;
  std::span<const std::vector<Launch>> launches_;
  std::span<double> scalars_;
  std::span<std::int64_t> runs_;
  cudaStream_t stream_;
  std::vector<double> values_;
  bool changed_ = false;  ///< values, since the device got them
  std::int64_t launched_ = 0;
  std::int64_t waits_ = 0;
};

}  // namespace sparsecast::cuda
