#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/segment_work.hpp"
#include "model/working_set.hpp"
#include "predict/interval.hpp"

/// @file
/// Measured beside predicted: what a case is, how it is written down, and what a set of cases says
/// about the model. Nothing here needs a device; `predict/validation/validation_run.hpp` measures.

namespace sparsecast {

/// What runs in a case besides the schedules of conjugate gradients (`cg_schedule`): the product
/// alone.
inline constexpr std::string_view product_alone = "spmv";

/// One case: a matrix in one renumbering, block size, precision and on a number of devices, and
/// what ran: a schedule in a launch mode.
struct ValidationRow {
  std::string matrix;
  std::string pattern;               ///< key of the matrix's own pattern, before renumbering
  std::string renumbering = "none";  ///< "random", "rcm", "metis" (for the row's devices)
  bool surrogate_values = false;     ///< the file's values were replaced (`spd_surrogate`)
  bool generated = false;            ///< from `held_out_matrices`, not from a file
  std::int64_t unknowns = 0;
  std::int64_t nonzeros = 0;
  std::int64_t block_elements = 0;
  int block = 1;
  int devices = 1;
  Precision precision = Precision::f64;
  std::string schedule = "algorithm1";  ///< "algorithm1", "fused", "vendor" or `product_alone`
  std::string launch;                   ///< as in `core/workload/launch_mode.hpp`; empty on a CPU
  /// What the back end stored, one a device, and how rows look the vector up: enough to price the
  /// case again without matrix or device. Empty in raw data of version 1.
  std::vector<SegmentShape> segments;
  std::optional<AccessPattern> access;
  std::optional<GpuExecution> execution;  ///< on a GPU
  /// On several GPUs: how they exchanged (`core/workload/exchange_mode.hpp`), and what each had to
  /// do.
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
  double paper_seconds = 0;                  ///< by the paper's model; 0: the profile cannot
  double baseline_seconds = 0;               ///< `T0 + bytes/bandwidth`; 0: the profile cannot

  friend bool operator==(const ValidationRow&, const ValidationRow&);
};

/// What identifies a case: all that was chosen, nothing that was measured.
std::string case_key(const ValidationRow& row);

/// What the measured time is uncertain by, relative: by how much the second fastest visit is
/// slower; of a single visit, the spread of its rounds.
double measurement_noise(const ValidationRow& row);

/// Flops of the case's iteration (or product) over these seconds, 1e9 per second; raw counts block
/// elements, effective nonzeros only.
double raw_gflops(const ValidationRow& row, double seconds);
double effective_gflops(const ValidationRow& row, double seconds);

/// |predicted / measured - 1| of the time of an iteration.
double time_error(double predicted_seconds, double measured_seconds);
/// The same of performance, which is what Table 6 gives: |measured / predicted - 1|.
double performance_error(double predicted_seconds, double measured_seconds);

/// Errors of those cases of a set that have a forecast. A matrix counts once: the errors of cases
/// with the same pattern are averaged before anything else.
struct ErrorSummary {
  std::size_t matrices = 0;
  std::size_t cases = 0;
  double mean_performance_error = 0;
  double variance_performance_error = 0;  ///< of the sample; 0 for a single matrix
  double mean_time_error = 0;
  double median_time_error = 0;
  double p90_time_error = 0;
  double p95_time_error = 0;
  /// Mean of log(predicted/measured), as a factor: above 1 the model predicts too long a time.
  double bias = 1;
  double median_noise = 0;               ///< of `measurement_noise`
  std::optional<double> coverage;        ///< share of intervals that hold the measured time
  std::optional<double> interval_width;  ///< mean of their widths over the measured time
};

/// Which of a row's forecasts is judged.
enum class Forecaster { model, paper, baseline };
/// "the model", "the paper's model", "the baseline".
std::string_view name_of(Forecaster forecaster);

ErrorSummary summarize_errors(std::span<const ValidationRow> rows, Forecaster forecaster);

/// The time lost by following the prediction: measured time of the choice that is predicted
/// fastest over the measured time of the fastest, minus 1. A matrix counts once.
struct RegretSummary {
  std::size_t matrices = 0;
  double mean = 0;
  double median = 0;
  double p95 = 0;
  double max = 0;
  std::string worst_matrix;  ///< where the largest was
  double best_share = 0;     ///< share of choices that were the fastest
};

/// A line of a report: the model's errors, and the paper's and the baseline's on the same cases.
struct ErrorLine {
  std::string label;  ///< stratum, or schedule and launch mode; empty in Table 6
  Precision precision = Precision::f64;
  int block = 0;    ///< 0: all
  int devices = 0;  ///< 0: all
  ErrorSummary model;
  ErrorSummary paper;
  ErrorSummary baseline;
};

struct RegretLine {
  Precision precision = Precision::f64;
  int devices = 0;  ///< what was chosen was for this many devices; 0: they were chosen too
  RegretSummary regret;
};

/// How good the number of devices is that forecasts say: the fewest whose fastest forecast is a tie
/// (`tie_margin`) with the fastest of all. Judged by the fastest that was measured with each
/// number, whatever it was. A matrix counts once.
struct DeviceChoiceLine {
  Precision precision = Precision::f64;
  std::size_t matrices = 0;
  double several_best = 0;   ///< share of which several devices are the fastest
  double within_margin = 0;  ///< share of which the choice loses at most `tie_margin`
  double mean_loss = 0;      ///< measured time lost by the choice
  double max_loss = 0;
  std::string worst_matrix;
  /// Mean and median error of the speedup over one device, fastest over fastest.
  double mean_speedup_error = 0;
  double median_speedup_error = 0;
};

/// How often cases were measured; only of those that were measured more than once.
struct VisitSummary {
  std::size_t cases = 0;
  int fewest = 0;
  int most = 0;
  double median_noise = 0;  ///< of `measurement_noise`, over cases
  double p90_noise = 0;
};

/// Cases that a forecaster has no forecast of: the profile lacks what their price needs (a curve, a
/// precision, a link). No figure of that forecaster counts them.
struct LeftOutLine {
  Forecaster forecaster = Forecaster::model;
  std::string schedule;
  Precision precision = Precision::f64;
  std::size_t cases = 0;
};

struct ValidationSummary {
  std::vector<ErrorLine> table6;   ///< by precision, devices and block size, ours alone
  std::vector<ErrorLine> strata;   ///< solvers by working set, those that have cases
  ErrorLine overall;               ///< solvers, all cases
  std::vector<ErrorLine> solvers;  ///< by schedule and launch mode, the product alone among them
  /// Of our schedules in all layouts and launch modes, by precision and devices.
  std::vector<RegretLine> regrets;
  std::vector<DeviceChoiceLine> device_choices;  ///< where several numbers of devices ran
  std::vector<ValidationRow> worst;  ///< largest errors of time, one case a matrix, at most three
  VisitSummary visits;
  std::vector<LeftOutLine> left_out;  ///< by forecaster, schedule and precision
};
ValidationSummary summarize_validation(std::span<const ValidationRow> rows);

/// The smallest value that at least this share of the values do not exceed (nearest rank); 0 for
/// none.
double quantile(std::vector<double> values, double share);

/// A validation as raw data: what was measured and where.
struct ValidationData {
  std::map<std::string, std::string> about;  ///< profile, machine, date, ...
  std::vector<ValidationRow> rows;
};

/// Appends a row, or adds it as a visit to the one of its case (`places`, by `case_key`).
void add_visit(ValidationRow row, std::map<std::string, std::size_t>& places,
               std::vector<ValidationRow>& rows);

/// Whether two descriptions of devices ("run on") are of one kind: the same but for the numbers in
/// "cuda:0".
bool same_kind_of_device(const std::string& one, const std::string& another);

/// Several runs on devices of one kind as one, at least one: of each case the fastest. `names` are
/// used in errors; the first run's order and forecasts of cases come first. Throws `Error` where
/// runs are of different kinds of devices ("run on", but for "cuda:0").
ValidationData merge_validations(std::vector<ValidationData> runs,
                                 std::span<const std::string> names);

/// The version of raw data that this program writes. It reads version 1 too, which says nothing of
/// schedules, launch modes, shapes and access patterns (there all cases are of Algorithm 1), 2,
/// which says nothing of several GPUs, and 3, which counts no visits.
inline constexpr int validation_schema_version = 4;

/// CSV with a header line; the version and `about` as leading comment lines "# key: value". Names
/// may hold anything: they are quoted where they need to be, with line ends inside the quotes.
std::string validation_to_csv(const ValidationData& data);
/// The inverse. Throws `Error` with `NAME:LINE: what is wrong; what was expected`: damaged lines,
/// unknown schedules, launch modes, exchanges, renumberings and block sizes, numbers that make no
/// sense.
ValidationData parse_validation_csv(std::string_view text, const std::string& name);

}  // namespace sparsecast
