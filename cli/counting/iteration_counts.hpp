#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/reports/table.hpp"
#include "core/matrix/csr.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/counting/count_iterations.hpp"
#include "predict/counting/solvers_to_count.hpp"
#include "predict/features/forecast_features.hpp"

/// @file
/// Times to solution: --rtol counts the iterations of solvers, here, or finds them in a features
/// file.

namespace sparsecast::cli {

/// How iterations are counted, and on which device.
struct CountOptions {
  CountRules rules;
  std::string device;
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

/// Those of --solver, --schedule or `ours`; of --solver fused our conjugate gradients; of all, and
/// where nothing is named and `all_by_default`, all that come with the program and our conjugate
/// gradients.
SolversToCount solvers_to_count(const CommandLine& line, std::vector<std::string> ours,
                                bool all_by_default);

/// `leave_out_symmetric` with what it says as a warning.
void leave_out_symmetric(const std::string& path, SolversToCount& solvers);

/// `count_iterations` for b of --rhs on the device of the options. Shows progress, and warns of
/// solvers that are left out. Throws `Interrupted` after Ctrl-C.
std::vector<IterationCount> count_iterations(const CommandLine& line, const CountOptions& options,
                                             const CsrView<double>& matrix,
                                             const SolversToCount& solvers,
                                             std::span<const Precision> precisions);

/// `find_counts` of a features file. Throws `UsageError` for options of how to count.
std::vector<IterationCount> find_counts(const CommandLine& line, const CountRules& rules,
                                        const ForecastFeatures& features,
                                        const SolversToCount& solvers,
                                        std::span<const Precision> precisions);

/// `require_one_solves` with the table on standard error before it throws.
void require_one_solves(const std::string& path, std::span<const IterationCount> counts);

/// `warnings_of_counts` as warnings.
void warn_of_counts(const std::string& path, std::span<const IterationCount> counts);

/// A table for people; `solver_meaning` of one of its solvers, empty where none needs it; and both
/// with a line about the table.
Table counts_table(std::span<const IterationCount> counts);
std::string meaning_of_counted(std::span<const IterationCount> counts);
void print_counts(std::ostream& out, std::span<const IterationCount> counts,
                  TableStyle style = TableStyle::plain);

}  // namespace sparsecast::cli
