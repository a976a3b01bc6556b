#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/precision.hpp"
#include "predict/prediction.hpp"

/// @file
/// Measured beside predicted: what a case is, how it is written down, and what a set of cases says
/// about the model. Nothing here needs a device; `predict/validation_run.hpp` measures.

namespace sparsecast {

/// One case: a matrix in one renumbering, block size, precision and on a number of devices.
struct ValidationRow {
  std::string matrix;
  std::string pattern;               ///< key of the matrix's own pattern, before renumbering
  std::string renumbering = "none";  ///< "none", "random", "rcm"
  bool surrogate_values = false;     ///< the file's values were replaced (`spd_surrogate`)
  std::int64_t unknowns = 0;
  std::int64_t nonzeros = 0;
  std::int64_t block_elements = 0;
  int block = 1;
  int devices = 1;
  Precision precision = Precision::f64;
  double working_set_bytes = 0;  ///< distinct bytes that one iteration touches, all devices

  double measured_seconds = 0;  ///< one iteration, the median of the rounds
  double measured_spread = 0;   ///< interquartile range of the rounds over their median
  double measured_error = 0;    ///< half width of the median's 95 % interval over the median
  std::int64_t rounds = 0;

  double predicted_seconds = 0;
  std::optional<Interval> interval_seconds;  ///< 90 %
  double baseline_seconds = 0;               ///< `T0 + bytes/bandwidth`

  friend bool operator==(const ValidationRow&, const ValidationRow&);
};

/// Flops of the case's iteration over these seconds, 1e9 per second; raw counts block elements,
/// effective nonzeros only.
double raw_gflops(const ValidationRow& row, double seconds);
double effective_gflops(const ValidationRow& row, double seconds);

/// |predicted / measured - 1| of the time of an iteration.
double time_error(double predicted_seconds, double measured_seconds);
/// The same of performance, which is what Table 6 gives: |measured / predicted - 1|.
double performance_error(double predicted_seconds, double measured_seconds);

/// Errors of a set of cases. A matrix counts once: the errors of cases with the same pattern are
/// averaged before anything else.
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
  double median_noise = 0;         ///< of `measured_spread`
  std::optional<double> coverage;  ///< share of intervals that hold the measured time
};

/// Which of a row's two forecasts is judged.
enum class Forecaster { model, baseline };
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

/// A line of a report: the model's errors and the baseline's on the same cases.
struct ErrorLine {
  std::string label;  ///< stratum; empty in Table 6
  Precision precision = Precision::f64;
  int block = 0;    ///< 0: all
  int devices = 0;  ///< 0: all
  ErrorSummary model;
  ErrorSummary baseline;
};

struct RegretLine {
  Precision precision = Precision::f64;
  int devices = 0;  ///< the block size was chosen on this many devices; 0: both were chosen
  RegretSummary regret;
};

struct ValidationSummary {
  std::vector<ErrorLine> table6;     ///< by precision, devices and block size
  std::vector<ErrorLine> strata;     ///< by working set, those that have cases
  ErrorLine overall;                 ///< all cases
  std::vector<RegretLine> regrets;   ///< by precision and devices
  std::vector<ValidationRow> worst;  ///< largest errors of time, one case a matrix, at most three
};
ValidationSummary summarize_validation(std::span<const ValidationRow> rows);

/// Names and upper bounds of the working-set strata: below 5 MB, 5 to 40, 40 to 150, above.
struct Stratum {
  std::string_view name;
  double bytes_below;
};
std::span<const Stratum> working_set_strata();

/// The smallest value that at least this share of the values do not exceed (nearest rank); 0 for
/// none.
double quantile(std::vector<double> values, double share);

/// A validation as raw data: what was measured and where.
struct ValidationData {
  std::map<std::string, std::string> about;  ///< profile, machine, date, ...
  std::vector<ValidationRow> rows;
};

/// CSV with a header line; `about` as leading comment lines "# key: value".
std::string validation_to_csv(const ValidationData& data);
/// The inverse. Throws `Error` with `NAME:LINE: what is wrong; what was expected`.
ValidationData parse_validation_csv(std::string_view text, const std::string& name);

}  // namespace sparsecast
