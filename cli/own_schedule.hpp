#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/engine/own_schedule.hpp"

/// @file
/// Solvers that are schedules: those of --solver, which come with the program, and those that users
/// have written down themselves, --schedule FILE.json; with --restart M, --precondition P and --set
/// NAME=NUMBER.

namespace sparsecast::cli {

/// Adds --solver (where a command takes several, also a list and `all`), --restart, --precondition
/// and --set.
void add_solver_options(CommandLine& line, bool several);

/// Adds --execution.
void add_execution_option(CommandLine& line);

/// Adds --host-call, of forecasts.
void add_host_call_option(CommandLine& line);

/// Says who carries out a library's solver here, where it is one.
void warn_of_library(const OwnSchedule& own);

/// Whether --schedule names a file: its name ends with ".json".
bool has_schedule_file(const CommandLine& line);

/// Whether --solver names our conjugate gradients (`fused_cg`), which are no schedule of a file, so
/// that the functions below leave them out.
bool names_fused(const CommandLine& line);

/// "an iteration of gmres is a cycle of 30 steps", of those that are restarted; empty where none
/// is.
std::string cycles_text(std::span<const OwnSchedule> solvers);

/// Whether it is --solver all; `by_default`: also where neither --solver nor --schedule is given.
bool takes_all_solvers(const CommandLine& line, bool by_default = false);

/// Those of --solver (all: without libraries') with --restart, --precondition (one of each, where
/// that is a list), --set and --host-call;
/// none where it is not given, or all where that is the default and no --schedule is given. Throws
/// `UsageError` for names that there are not (where a command takes not `several`, also for lists),
/// for --schedule beside it, and for settings that do not fit.
std::vector<OwnSchedule> named_solvers(const CommandLine& line, bool several,
                                       bool all_by_default = false);

/// The schedule of a file with --restart, --precondition, --set and --host-call. Throws like
/// `read_method_file` and `check_method`, and `UsageError` for settings that make no sense.
OwnSchedule schedule_of_file(const CommandLine& line, const std::string& file);

/// Those of --solver, or that of --schedule FILE.json, with these and --execution; none
/// where --schedule is not given or names one of ours. Throws `UsageError` for the others without
/// one of these, for a --set that is no NAME=NUMBER or is given twice, and for an --execution that
/// there is not, and `Error` like `read_method_file`.
std::vector<OwnSchedule> own_schedules(const CommandLine& line, bool several,
                                       bool all_by_default = false);

/// The same for a command that takes one.
std::optional<OwnSchedule> own_schedule(const CommandLine& line);

/// The same for a command that takes several with --rtol alone, where that is not given. Throws
/// `UsageError` for several.
std::optional<OwnSchedule> uncounted_schedule(const CommandLine& line);

}  // namespace sparsecast::cli
