#pragma once

#include <iosfwd>
#include <span>
#include <vector>

#include "cli/reports/table.hpp"
#include "predict/validation/data/validation_row.hpp"
#include "predict/validation/summary/solution_summary.hpp"

namespace sparsecast::cli {

/// Times to solution, forecast beside measured: those of the rows that have one.
Table solutions_table(std::span<const ValidationRow> rows);
/// Errors of these.
Table solution_errors_table(std::span<const SolutionLine> lines);

/// How counts and solves ended, how good the forecasts are, and what follows from them.
void print_solution_summary(const SolutionSummary& summary, TableStyle style, std::ostream& out);

}  // namespace sparsecast::cli
