#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/segment_shape.hpp"
#include "model/links/sum_phases.hpp"
#include "model/traffic/pass_counts.hpp"
#include "model/traffic/steady_steps.hpp"
#include "model/working_set.hpp"

namespace sparsecast {

/// What the traffic model asks of a schedule, whatever the matrix and the device: worked out once
/// for all prices of it.
class PricedSchedule {
 public:
  /// A step that runs in every iteration, by what its price depends on; there may be others alike.
  struct Kernel {
    const Step* step = nullptr;  ///< the first of its kind
    SteadyStep touched;
    std::string_view key{};  ///< `kernel_key`, where it is no product
    double vectors = 0;      ///< of a pass, that cost `KernelCosts::vector_seconds` each
    bool sums = false;       ///< ends with sums
    int cpu_waits = 0;       ///< `cpu_waits`

    bool multiplies() const { return step->traffic.values_per_element > 0; }
  };

  /// The schedule must outlive it.
  explicit PricedSchedule(const Schedule& schedule);
  PricedSchedule(Schedule&&) = delete;

  const Schedule& schedule() const { return *schedule_; }

  const SteadySteps& steady() const { return steady_; }
  /// Of each kind one.
  std::span<const Kernel> kernels() const { return kernels_; }
  /// Which of them the steps of `steady()` are.
  std::span<const std::size_t> kernel_of_step() const { return kernel_of_step_; }

  /// Of schedules with passes.
  const PassCounts& passes() const { return passes_; }
  bool has_passes() const { return has_passes_; }
  bool multiplies_by_diagonal_blocks() const { return multiplies_by_diagonal_blocks_; }
  bool multiplies_by_transpose() const { return multiplies_by_transpose_; }

  /// `IterationCounts::waits`.
  int waits() const { return waits_; }
  /// Kernels whose guards are mostly closed.
  std::span<const Step* const> skipped() const { return skipped_; }
  /// What lies between sums over all devices.
  std::span<const SumPhase> phases() const { return phases_; }

  /// Floating-point operations of all steps of an iteration.
  double flops(const SegmentShape& shape) const;
  /// `working_set_bytes`.
  double working_set_bytes(const SegmentShape& shape, Precision precision) const;

 private:
  void add_kernel(const SteadyStep& steady, int waits);

  const Schedule* schedule_;
  SteadySteps steady_;
  std::vector<Kernel> kernels_;
  std::vector<std::size_t> kernel_of_step_;
  PassCounts passes_;
  bool has_passes_ = false;
  bool multiplies_by_diagonal_blocks_ = false;
  bool multiplies_by_transpose_ = false;
  int waits_ = 0;
  std::vector<const Step*> skipped_;
  std::vector<SumPhase> phases_;
  std::vector<LinearCount> flops_;  ///< of steps that have some
  WorkingSet working_set_;
};

}  // namespace sparsecast
