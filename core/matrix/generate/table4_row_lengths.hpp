#pragma once

#include <cstdint>

#include "core/matrix/csr.hpp"

/// @file
/// The matrices of `table4.hpp` that are not symmetric: what matters of them is how long their rows
/// are. Values have sizes in [0.5, 1).

namespace sparsecast {

/// Pages and their links. In random order the page of rank k has 1 to 3 links and `longest_row` s /
/// (k + s) more, so that the number of rows of at least d entries falls as 1 / d. Half of
/// the draws link two pages nearby, the others any page, some of which are drawn often.
CsrMatrix<double> web_links(std::int64_t rows, std::int64_t nonzeros, std::int64_t longest_row,
                            std::uint64_t seed, int threads = 0);

/// Constraints, in random order, of a linear program with many more variables. In the longest third
/// of the rows lengths fall as a hyperbola from `longest_row` to `typical_row`, in the others
/// linearly to next to none. Entries lie in runs of four columns.
CsrMatrix<double> linear_program(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                                 std::int64_t longest_row, std::int64_t typical_row,
                                 std::uint64_t seed, int threads = 0);

/// All entries of a matrix that need not be square.
CsrMatrix<double> full_rows(std::int64_t rows, std::int64_t columns, std::uint64_t seed,
                            int threads = 0);

}  // namespace sparsecast
