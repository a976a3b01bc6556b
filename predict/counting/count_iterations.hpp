#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/precision.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/iteration_count.hpp"
#include "core/matrix/csr.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/counting/count_words.hpp"
#include "predict/counting/solvers_to_count.hpp"
#include "predict/features/forecast_features.hpp"

/// @file
/// Iterations of solvers, for times to solution: counted on a device that is here, or found in
/// features.

namespace sparsecast {

/// How iterations are counted.
struct CountRules {
  double tolerance = 1e-8;               ///< ||b - A x|| <= tolerance ||b||
  std::int64_t max_iterations = 0;       ///< `StopRule::max_iterations`
  std::string right_hand_side = "ones";  ///< `IterationCount::right_hand_side`
  double seconds = 60;                   ///< for all counts together
  bool compete = true;                   ///< only the fastest solvers are of interest
};

/// Whether a residual can fall to it and is not there from the start: more than 0, less than 1.
bool is_countable(double tolerance);

/// The first of these whose model forecasts no time to solution; nullptr where all do.
const DeviceProfile* first_uncountable(std::span<const DeviceProfile> profiles);

/// Those in which x can be so exact.
std::vector<Precision> countable_precisions(double tolerance);

/// Of these, those that every profile has; of `features`, where they are given, those that these
/// have counts in. May be empty.
std::vector<Precision> comparable_precisions(double tolerance,
                                             std::span<const DeviceProfile> profiles,
                                             const ForecastFeatures* features);

/// How far counting is.
struct CountProgress {
  const std::string& solver;  ///< of now
  Precision precision;
  std::int64_t iterations;  ///< of its run of now
  double done;              ///< the share of all counts, in [0, 1]
};

/// What counting asks and tells while it runs, on the thread that began it.
struct CountMonitor {
  /// Called some ten times a second; false ends the counting.
  std::function<bool(const CountProgress& so_far)> proceed;
  /// Called for a solver of several that cannot run, with the reason.
  std::function<void(const std::string& why)> left_out;
};

/// Runs each solver in each precision, for its share of the seconds; where they compete, for no
/// more than ten times as long as the fastest so far, or a second. A square matrix, columns sorted,
/// and b, which the rules name. Returns nothing where `proceed` ended it. Throws `Error` where no
/// solver could run.
std::optional<std::vector<IterationCount>> count_iterations(
    Backend& backend, const CsrView<double>& matrix, std::vector<double> b,
    const SolversToCount& solvers, std::span<const Precision> precisions, const CountRules& rules,
    const CountMonitor& monitor);

/// The same from the counts of features, whose tolerance and right-hand side are those of the
/// rules. Throws `Error` for one that is not there; `to_count` says what counts it where the matrix
/// is.
std::vector<IterationCount> find_counts(const ForecastFeatures& features,
                                        const SolversToCount& solvers,
                                        std::span<const Precision> precisions,
                                        const CountRules& rules, const CountWords& words,
                                        const std::string& to_count);

}  // namespace sparsecast
