#pragma once

#include <span>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/exports/timed_case.hpp"

namespace sparsecast::cli {

/// Adds --ginkgo and --extra-p: files for other programs.
void add_export_options(CommandLine& line);

/// Those files, among what a command writes.
void name_exports(const CommandLine& line, CommandFiles& files);

/// Whether one of them is asked for.
bool exports(const CommandLine& line);

/// Whether one of them goes to standard output, where nothing else may then be printed.
bool prints_export(const CommandLine& line);

/// Writes those that are asked for; warns of what Extra-P would refuse, which is left out.
void write_exports(const CommandLine& line, std::span<const TimedCase> cases);

}  // namespace sparsecast::cli
