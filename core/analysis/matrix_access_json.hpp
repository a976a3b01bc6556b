#pragma once

#include <span>

#include "core/analysis/matrix_access.hpp"
#include "core/base/text/json_text.hpp"
#include "core/base/text/json_tree.hpp"

namespace sparsecast {

/// An object with what was counted, of block rows of these sizes alone, without their lengths:
/// what products make of long rows is counted beside it
/// (`core/analysis/counted/product_counts.hpp`).
JsonObject to_json(const MatrixAccess& access, std::span<const int> sizes);

/// The inverse, exact; block rows of other sizes have no counts. Throws `Error` with the place for
/// what `to_json` does not write.
MatrixAccess read_access(const JsonPlace& object, std::span<const int> sizes);

}  // namespace sparsecast
