#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/precision.hpp"
#include "core/engine/iteration_count.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/counting/count_iterations.hpp"
#include "predict/counting/solvers_to_count.hpp"
#include "python/bindings/arguments.hpp"
#include "python/bindings/matrix.hpp"
#include "python/bindings/schedule.hpp"
#include "python/bindings/watch.hpp"

/// @file
/// Times to solution: the argument "rtol" counts the iterations of solvers, or finds them in
/// features.

namespace sparsecast::python {

/// How iterations are counted, for which b and on which device.
struct Counting {
  CountRules rules;
  std::vector<double> b;  ///< not used of features, which have their counts
  std::string device = "cpu";
};

/// What messages call the arguments.
const CountWords& count_words();

/// That of "rtol", "rhs", "max_iterations", "count_on" and "count_seconds"; nothing without "rtol".
/// Throws `Error` for the others without it, for numbers out of range, for a right-hand side that
/// does not fit, and of features for how to count.
std::optional<Counting> counting_of(const Arguments& arguments, const Subject& subject);

/// The same for times to solution on these profiles: throws `Error` for "iterations" beside it, and
/// for profiles whose model has none.
std::optional<Counting> counting_of(const Arguments& arguments, const Subject& subject,
                                    std::span<const DeviceProfile> profiles);

/// What is to be said of chosen solvers that cannot solve with it (`unfit_warnings`); of all
/// together those that need a symmetric matrix are taken out.
std::vector<std::string> leave_out_unfit(const Subject& subject, ChosenSolvers& chosen);

/// Solvers as they were chosen: of all, and where none is, our conjugate gradients too.
SolversToCount solvers_to_count(ChosenSolvers chosen);

/// What was counted, and what is to be said of it.
struct Counted {
  std::vector<IterationCount> counts;
  std::vector<std::string> warnings;
};

/// Of the work of a forecast, that is done when everything is counted.
double share_of_counting(const Subject& subject);

/// Counts, or finds what was counted. Takes solvers out that need a symmetric matrix where this is
/// none. Counting is so large a `share` of the work that `watch` watches. Without the interpreter's
/// lock, in the matrix's turn.
Counted counts_of(const Subject& subject, const Counting& counting, SolversToCount& solvers,
                  std::span<const Precision> precisions, Watch& watch, double share);

/// With what else their times are made of. Throws `Error` where none solves.
std::vector<CountedSolver> counted_solvers_of(const Subject& subject, const Counted& counted,
                                              const SolversToCount& solvers);

}  // namespace sparsecast::python
