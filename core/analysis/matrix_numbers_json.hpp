#pragma once

#include "core/analysis/matrix_numbers.hpp"
#include "core/base/text/json_text.hpp"

namespace sparsecast {

/// Of numbers that were counted (`count_row_numbers`), those that features do not have: the mean
/// distance, neighbours and similarity.
JsonObject to_json(const RowNumbers& counted);

}  // namespace sparsecast
