#pragma once

#include <string>

#include "cli/reports/table.hpp"
#include "core/analysis/features.hpp"

/// @file
/// What a matrix looks like to a solver, for people.

namespace sparsecast::cli {

/// "pattern and values", "pattern only", "no".
std::string symmetry_text(const MatrixFeatures& features);

/// "full, positive", or what is not: "3 missing, 1 negative".
std::string diagonal_text(const MatrixFeatures& features);

/// "min 3, mean 6.9, max 7, standard deviation 0.3".
std::string row_length_text(const RowLengths& lengths);

/// "8 to 15": the row lengths that an entry of their histogram counts.
std::string row_length_class(std::size_t histogram_class);

}  // namespace sparsecast::cli
