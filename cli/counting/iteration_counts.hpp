#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/own_schedule.hpp"
#include "cli/reports/table.hpp"
#include "core/matrix/csr.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/counted_solver.hpp"
#include "predict/features/forecast_features.hpp"

/// @file
/// Times to solution: --rtol counts the iterations of solvers, here, or finds them in a features
/// file.

namespace sparsecast::cli {

/// What is counted, and how.
struct CountOptions {
  double tolerance = 0;
  std::int64_t max_iterations = 0;
  std::string right_hand_side;  ///< as --rhs names it
  std::string device;           ///< that counts
  double seconds = 60;          ///< for all counts together
  bool compete = true;          ///< only the fastest solvers are of interest
};

/// Adds --rtol, --rhs, --max-iterations, --count-on and --count-seconds; `meaning`: what --rtol is
/// for.
void add_count_options(CommandLine& line, const char* meaning);

/// Adds --count-seconds alone.
void add_count_seconds(CommandLine& line);

/// --count-seconds. Throws `UsageError` unless it is positive.
double count_seconds(const CommandLine& line);

/// What a command with these options reads: matrix, profiles, right-hand side and schedule.
void name_inputs(const CommandLine& line, CommandFiles& files);

/// Throws `UsageError` unless a residual can fall to it and is not there from the start.
void require_countable_tolerance(double tolerance);

/// Those of a command line with --rtol; nothing without. Throws `UsageError` for the others without
/// it, for --iterations beside it, and for numbers out of range.
std::optional<CountOptions> count_options(const CommandLine& line);

/// Refuses times to solution of what has no entries to count with, and of profiles whose model
/// knows one solver only: throws `UsageError`.
void require_countable(std::span<const DeviceProfile> profiles, bool of_numbers);

/// Solvers whose iterations are to be counted.
struct SolversToCount {
  std::vector<OwnSchedule> own;
  std::vector<std::string> ours;  ///< of `built_in`, all of which are conjugate gradients
};

/// Those of --solver, --schedule or `ours`; of --solver all, and where nothing is named and
/// `all_by_default`, all that come with the program and our conjugate gradients.
SolversToCount solvers_to_count(const CommandLine& line, std::vector<std::string> ours,
                                bool all_by_default);

/// Leaves out, with a warning that names them, solvers that need a symmetric matrix. Throws `Error`
/// where none is left.
void leave_out_symmetric(const std::string& path, SolversToCount& solvers);

/// Runs each solver in each precision, for its share of the seconds; where they compete, for no
/// more than ten times as long as the fastest so far, or a second. Of several, one that throws is
/// left out with a warning. Shows progress. Throws `Interrupted` after Ctrl-C.
std::vector<IterationCount> count_iterations(const CommandLine& line, const CountOptions& options,
                                             const CsrView<double>& matrix,
                                             const SolversToCount& solvers,
                                             std::span<const Precision> precisions);

/// The same from those of a features file. Throws `Error` for one that is not there, with what to
/// run where the matrix is, and `UsageError` for options of how to count.
std::vector<IterationCount> find_counts(const CommandLine& line, const CountOptions& options,
                                        const ForecastFeatures& features,
                                        const SolversToCount& solvers,
                                        std::span<const Precision> precisions);

/// Those in which x can be so exact.
std::vector<Precision> countable_precisions(const CountOptions& options);

/// Throws `Error` where no solver converged: why, and what to do. The table is printed first, on
/// standard error.
void require_one_solves(const std::string& path, std::span<const IterationCount> counts);

/// With what else their times are made of.
std::vector<CountedSolver> counted_solvers(std::span<const IterationCount> counts,
                                           const SolversToCount& solvers);

/// Warns of counts that another device may not have.
void warn_of_counts(const std::string& path, std::span<const IterationCount> counts);

/// A table for people, and the same with a line about it.
Table counts_table(std::span<const IterationCount> counts);
void print_counts(std::ostream& out, std::span<const IterationCount> counts,
                  TableStyle style = TableStyle::plain);

}  // namespace sparsecast::cli
