#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/precision.hpp"
#include "predict/validation/data/validation_row.hpp"
#include "predict/validation/summary/case_summary.hpp"
#include "predict/validation/summary/device_choice.hpp"
#include "predict/validation/summary/error_summary.hpp"
#include "predict/validation/summary/regret.hpp"
#include "predict/validation/summary/solution_summary.hpp"

namespace sparsecast {

/// A line of a report: the model's errors, and those of the paper's model and of the baselines, on
/// those of the same cases that they describe.
struct ErrorLine {
  std::string label;  ///< stratum, or schedule and launch mode; empty in Table 6
  Precision precision = Precision::f64;
  std::string layout;  ///< its name; empty: all
  int devices = 0;     ///< 0: all
  ErrorSummary model;
  ErrorSummary paper;
  ErrorSummary baseline;
  ErrorSummary roofline;
  ErrorSummary regression;
};

struct RegretLine {
  Precision precision = Precision::f64;
  int devices = 0;  ///< what was chosen was for this many devices; 0: they were chosen too
  RegretSummary regret;
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

/// Measured over predicted time of cases on one device whose forecast has an interval, by the kinds
/// that intervals have: what the profile's interval should be, and of an estimated profile what its
/// transfer has cost (`model/estimate/transfer_cost.hpp`).
struct RatioLine {
  std::string kind;  ///< "iteration", "persistent", "step"
  std::size_t patterns = 0;
  std::size_t cases = 0;
  double low = 1;  ///< 5 %, 50 % and 95 % quantiles over the cases
  double median = 1;
  double high = 1;
};

struct ValidationSummary {
  /// What is recommended, all iterations, and the product alone: those that have cases.
  std::vector<ErrorLine> headlines;
  /// Of `recommended_cases`: by working set as `strata`, and all of them last. Empty where there
  /// are none.
  std::vector<ErrorLine> recommended;
  std::vector<CaseLine> cases;     ///< recommended ones, then by launch mode
  std::vector<ErrorLine> table6;   ///< by precision, devices and layout, ours alone
  std::vector<ErrorLine> strata;   ///< solvers by working set, those that have cases
  ErrorLine overall;               ///< solvers, all cases
  std::vector<ErrorLine> solvers;  ///< by schedule and launch mode, the product alone among them
  /// Of our schedules in all layouts and launch modes, by precision and devices.
  std::vector<RegretLine> regrets;
  std::vector<DeviceChoiceLine> device_choices;  ///< where several numbers of devices ran
  std::vector<ValidationRow> worst;  ///< largest errors of time, one case a matrix, at most three
  VisitSummary visits;
  std::vector<LeftOutLine> left_out;         ///< by forecaster, schedule and precision
  std::vector<RatioLine> ratios;             ///< by kind
  std::optional<SolutionSummary> solutions;  ///< of times to solution, where there are some
};
ValidationSummary summarize_validation(std::span<const ValidationRow> rows);

}  // namespace sparsecast
