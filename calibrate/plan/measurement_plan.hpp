#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/plan/matrix_families.hpp"
#include "core/base/precision.hpp"
#include "core/base/stopwatch.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"

/// @file
/// What calibration measures, as data.
///
/// Kernels are measured hot: the same buffers again and again, as a solver uses its vectors in
/// every iteration. What fits into a cache is therefore read from the cache.

namespace sparsecast {

/// One thing to measure.
struct Measurement {
  Precision precision = Precision::f64;
  /// As `Sample::kernel`; "Convert" also comes with each "SpMV", of its layout.
  std::string kernel;
  std::string schedule;              ///< of an "Iteration": "algorithm1", "fused", "vendor"
  std::optional<LaunchMode> launch;  ///< of a GPU's kernels
  int devices = 1;
  std::string exchange;  ///< as `Sample::exchange`

  std::int64_t unknowns = 0;  ///< of the vectors, where there is no matrix

  int matrix = -1;  ///< index in `MeasurementPlan::matrices`; -1: vectors only
  Layout layout;
  /// Left out where the layout holds more than so many elements for each nonzero.
  double most_fill = std::numeric_limits<double>::infinity();
  bool held_out = false;  ///< as `Sample::held_out`

  double estimated_seconds = 0;  ///< what measuring it will take
};

/// Measurements in the order in which they run: those on one matrix follow each other.
struct MeasurementPlan {
  std::string name;
  std::vector<MatrixRecipe> matrices;
  std::vector<Measurement> measurements;
  StopwatchOptions stopwatch;
  /// Of whole iterations, which a GPU runs by graphs of several; absent: the same.
  std::optional<StopwatchOptions> iteration_stopwatch;
  /// How often all is measured, one time after the other, and at most what is not confirmed by
  /// then (`core/base/visits.hpp`); the fastest counts.
  int passes = 1;
  int most_passes = 1;

  double estimated_seconds() const;
};

/// A part of a plan: what is on a matrix in one of these layouts, and what runs in one of these
/// launch modes. An empty list is all of them.
struct PlanPart {
  std::vector<Layout> layouts;
  std::vector<LaunchMode> launches;
};

/// Leaves out of a plan what is not of that part.
void cut_to(MeasurementPlan& plan, const PlanPart& part);

/// What identifies a measurement among the samples of a file.
std::string measurement_id(const MeasurementPlan& plan, const Measurement& measurement);

/// The layouts beside CSR and blocks that could be the fastest for some matrix, rows in natural
/// order: what a plan measures where they hold few zeros.
std::vector<Layout> other_layouts();

/// Elements for each nonzero up to which it does.
inline constexpr double most_other_fill = 3;

/// What a plan is made for.
struct PlanOptions {
  std::vector<Precision> precisions{Precision::f32, Precision::f64};
  int threads = 1;
  std::int64_t cache_bytes = 32 << 20;  ///< last-level cache; the plan goes well beyond it
  std::uint64_t seed = 1;               ///< of sizes and matrices
};

/// The default: everything a profile holds, three minutes on two cores, up to six where times do
/// not agree. Loads of 1, 2, 4 and 8 vectors with fixed and variable split (Figure 5), mixed reads
/// and writes, CG1 to CG5 and the reduction, SpMV in every layout over generated matrices of 10^2
/// to beyond the cache (Figure 7), whole iterations on other generated matrices (for the interval),
/// exchange and barrier of 2, 4,
/// ... thread groups. Vector lengths are spread evenly in the logarithm with some randomness; most
/// are multiples of 32.
MeasurementPlan default_plan(const PlanOptions& options);

/// The same curves from fewer samples, in under half a minute; enough for a demonstration.
MeasurementPlan quick_plan(const PlanOptions& options);

/// A handful of kernels for about ten seconds, to compare with a profile.
MeasurementPlan check_plan(const PlanOptions& options);

/// Whether no matrix that is held out is also among those that are fitted.
bool intervals_are_held_out(const MeasurementPlan& plan);

}  // namespace sparsecast
