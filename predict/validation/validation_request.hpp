#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/cuda/device/gpu_devices.hpp"
#include "core/engine/backend.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "predict/validation/case_price.hpp"
#include "predict/validation/data/validation_row.hpp"

/// @file
/// What a validation measures, and what it asks and tells meanwhile.

namespace sparsecast {

class CasesOnRanks;

/// A schedule of conjugate gradients, one of the user's own, or `product_alone`, in a launch mode.
struct ValidatedSolver {
  std::string schedule;
  LaunchMode launch = LaunchMode::automatic;  ///< without meaning on a CPU

  friend bool operator==(const ValidatedSolver&, const ValidatedSolver&) = default;
};

struct ValidationRequest {
  /// Whether a case on several devices has what each of them does (`ValidationRow::work`): GPUs
  /// have, and CPUs of ranks; groups of one CPU's threads have not.
  bool has_work(int on_devices) const { return on_devices > 1 && (gpu || of_ranks); }
  /// How several GPUs get their kernels.
  LaunchMode launch_on_several() const {
    const bool by_hosts = of_ranks && is_by_hosts_of_ranks(exchange);
    return by_hosts ? LaunchMode::host : LaunchMode::graph;
  }

  std::optional<GpuShape> gpu;  ///< absent on a CPU
  std::vector<ValidatedSolver> solvers;
  OwnSolvers own;  ///< that these name
  /// Empty: those that a user would think of. On a CPU all block sizes, and of the other formats
  /// those layouts that may pay (`Format::may_pay`). On a GPU of each format the two that store the
  /// fewest bytes among those that may pay, and one more that differs from matrix to matrix and is
  /// run by the fused schedule's graph and as a product only, as is, of every fourth pattern by its
  /// key, one that stores 2 to 6 times the nonzeros. Persistent kernels run up to 150 MB of values,
  /// of every third pattern by its key CSR up to 1 GB in one precision. Of matrices whose upload
  /// takes far longer than a measurement fewer, and of the largest only CSR in one of the
  /// precisions.
  std::vector<Layout> layouts;
  /// Several GPUs run our schedules as graphs, where hosts of ranks exchange in launch mode host;
  /// other solvers run on one.
  std::vector<int> devices{1};
  ExchangeMode exchange = ExchangeMode::halo;  ///< of several GPUs
  /// The devices are of ranks, a process each. Then several CPUs run whole iterations alone.
  bool of_ranks = false;
  std::vector<Precision> precisions{Precision::f64};
  double seconds_per_case = 0.5;
};

/// What a validation asks and tells while it runs.
struct ValidationMonitor {
  /// The back end with this many devices and, on a GPU, launch mode.
  std::function<Backend&(int devices, LaunchMode launch)> backend;
  /// Called before each case with its description and the share of the matrix's cases that are
  /// done; false ends the validation.
  std::function<bool(const std::string& what, double done)> proceed;
  /// Called after each case, which has no forecasts yet (`price_rows`).
  std::function<void(ValidationRow row)> done;
  /// Called for a case that is left out, with the reason.
  std::function<void(const std::string& what)> skipped;
  /// What the GPU does, asked right after a measurement; empty on a CPU.
  std::function<GpuState()> state = {};
  /// Whether a case, so far without its time, is to be measured; empty: all.
  std::function<bool(const ValidationRow& row)> wanted = {};
  /// Ranks that measure together, in place of `backend`; nullptr: there is one process.
  CasesOnRanks* on_ranks = nullptr;
};

/// Threads that count what the segments of several GPUs store and exchange, during measurements.
inline constexpr int validation_counting_threads = 8;

}  // namespace sparsecast
