#pragma once

#include <optional>

#include "cli/command.hpp"
#include "core/schedule/method/flat_names.hpp"
#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method.hpp"

/// @file
/// Solvers that users have written down themselves: --schedule FILE.json, --set NAME=NUMBER.

namespace sparsecast::cli {

struct OwnSchedule {
  Method method;
  NamedNumbers settings;  ///< of its parameters
  Execution execution = Execution::fused;
};

/// Adds --set.
void add_set_option(CommandLine& line);

/// Adds --execution.
void add_execution_option(CommandLine& line);

/// Whether --schedule names a file: its name ends with ".json".
bool has_schedule_file(const CommandLine& line);

/// Those of --set. Throws `UsageError` for what is no NAME=NUMBER or is given twice.
NamedNumbers settings_of(const CommandLine& line);

/// That of --schedule, --set and --execution; nothing where --schedule is not given or names one of
/// ours. Throws `UsageError` for the others without a file, for a --set that is no NAME=NUMBER or
/// is given twice, and for an --execution that there is not, and `Error` like `read_method_file`.
std::optional<OwnSchedule> own_schedule(const CommandLine& line);

}  // namespace sparsecast::cli
