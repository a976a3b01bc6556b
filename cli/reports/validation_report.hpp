#pragma once

#include <iosfwd>
#include <span>
#include <vector>

#include "cli/reports/table.hpp"
#include "predict/validation/data/validation_data.hpp"
#include "predict/validation/summary/validation_summary.hpp"

namespace sparsecast::cli {

/// Prints what a validation says, from its raw data alone: where it was measured, how the cases
/// divide, the tables of errors, regret and the worst cases; the cases themselves where they are
/// few.
void print_validation(const ValidationData& data, const ValidationSummary& summary,
                      TableStyle style, std::ostream& out);

/// The cases themselves.
Table rows_table(const std::vector<ValidationRow>& rows);
/// Errors of the model beside those of baselines.
Table headlines_table(std::span<const ErrorLine> lines);
/// Errors and intervals of cases.
Table cases_table(std::span<const CaseLine> lines);

}  // namespace sparsecast::cli
