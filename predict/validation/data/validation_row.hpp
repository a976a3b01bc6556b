#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"
#include "core/workload/segment_work.hpp"
#include "predict/interval.hpp"
#include "predict/validation/data/solution_case.hpp"

namespace sparsecast {

/// What runs in a case besides the schedules of conjugate gradients (`cg_schedule`): the product
/// alone.
inline constexpr std::string_view product_alone = "spmv";

/// One case: a matrix in one renumbering, layout, precision and on a number of devices, and
/// what ran: a schedule in a launch mode.
struct ValidationRow {
  std::string matrix;
  std::string pattern;               ///< key of the matrix's own pattern, before renumbering
  std::string renumbering = "none";  ///< "random", "rcm", "metis" (for the row's devices)
  bool surrogate_values = false;     ///< the file's values were replaced (`spd_surrogate`)
  bool generated = false;            ///< from `held_out_matrices`, not from a file
  std::int64_t unknowns = 0;
  std::int64_t nonzeros = 0;
  std::int64_t block_elements = 0;  ///< that the layout has of the whole matrix, zeros included
  Layout layout;
  int devices = 1;
  Precision precision = Precision::f64;
  std::string schedule = algorithm1().name();  ///< a solver's name, or `product_alone`
  std::string launch;  ///< as in `core/workload/launch_mode.hpp`; empty on a CPU
  /// What the back end stored, one a device, and how rows look the vector up: enough to price the
  /// case again without matrix or device. Empty in raw data of version 1.
  std::vector<SegmentShape> segments;
  std::optional<AccessPattern> access;
  std::optional<GpuExecution> execution;  ///< on a GPU
  /// On several GPUs: how they exchanged (`core/workload/exchange_mode.hpp`), and what each had to
  /// do; on CPUs of ranks the latter.
  std::string exchange;
  std::vector<SegmentWork> work;

  double measured_seconds = 0;  ///< one iteration, or product, the median of the rounds
  double measured_spread = 0;   ///< interquartile range of the rounds over their median
  double measured_error = 0;    ///< half width of the median's 95 % interval over the median
  std::int64_t rounds = 0;
  /// Of how many visits (`core/base/visits.hpp`) this is the fastest, and the second fastest's
  /// `measured_seconds`; 0: there was one.
  int visits = 1;
  double second_seconds = 0;
  double core_clock_mhz = 0;     ///< of a GPU when it was measured; 0: unknown, or a CPU
  std::string throttle_reasons;  ///< of a GPU then; empty: none, or unknown

  // What `price_rows` says of it (`predict/validation/case_price.hpp`).
  double working_set_bytes = 0;  ///< distinct bytes that one iteration touches, all devices
  double predicted_seconds = 0;  ///< 0: the profile cannot price it
  std::optional<Interval> interval_seconds;  ///< 90 %
  double paper_seconds = 0;     ///< by the paper's model, of what it describes; 0: it cannot
  double baseline_seconds = 0;  ///< `T0 + bytes/bandwidth`; 0: the profile cannot
  double roofline_seconds = 0;  ///< of two levels (`predict/validation/roofline.hpp`); 0: it cannot
  /// By a plain regression on the calibration's samples; 0: not asked for, or it cannot.
  double regression_seconds = 0;

  /// Of a time to solution, whose iteration this is; it is priced with the rest.
  std::optional<SolutionCase> solution{};

  friend bool operator==(const ValidationRow&, const ValidationRow&);
};

/// Whether the case ran whole iterations, not the product alone.
bool is_solver(const ValidationRow& row);

/// "fused persistent": what ran.
std::string solver_text(const ValidationRow& row);

/// What identifies a case: all that was chosen, nothing that was measured.
std::string case_key(const ValidationRow& row);

/// What the measured time is uncertain by, relative: by how much the second fastest visit is
/// slower; of a single visit, the spread of its rounds.
double measurement_noise(const ValidationRow& row);

/// Flops of the case's iteration (or product) over these seconds, 1e9 per second; raw counts block
/// elements, effective nonzeros only.
double raw_gflops(const ValidationRow& row, double seconds);
double effective_gflops(const ValidationRow& row, double seconds);

}  // namespace sparsecast
