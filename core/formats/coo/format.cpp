#include "core/formats/format.hpp"

#include <vector>

#include "core/formats/coo/coo.hpp"

/// @file
/// COO, for comparisons: nothing forecasts it.

namespace sparsecast {

extern const Format coo_format;

const Format coo_format{
    .name = "coo",
    .layouts =
        [] {
          return std::vector<Layout>{{"coo", 1, RowOrder::natural}};
        },
    .shape =
        [](const PatternNumbers& numbers, const Layout&) {
          return coo_shape(numbers.rows, numbers.columns, numbers.nonzeros);
        },
    .weights = [](const PatternView& matrix, const Layout&) { return matrix.row_offsets.copy(); }};

}  // namespace sparsecast
