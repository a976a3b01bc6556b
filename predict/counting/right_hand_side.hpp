#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/matrix/csr.hpp"

/// @file
/// Right-hand sides that solves and counts know by name.

namespace sparsecast {

/// b for so many rows, from row `first` on: "ones", or "random" numbers from 0.5 to 1.5, always the
/// same for a row. Nothing for another name.
std::optional<std::vector<double>> named_right_hand_side(std::string_view name, std::int64_t rows,
                                                         std::int64_t first = 0);

/// b of the matrix of a file, `source`, of one column. Throws `Error` for another size.
std::vector<double> right_hand_side_of(const CsrMatrix<double>& column, std::int64_t rows,
                                       const std::string& source);

}  // namespace sparsecast
