#pragma once

#include "core/analysis/features.hpp"
#include "core/base/text/json_text.hpp"
#include "core/base/text/json_tree.hpp"

namespace sparsecast {

/// An object with all features.
JsonObject to_json(const MatrixFeatures& features);

/// The inverse, exact. Throws `Error` with the place for what `to_json` does not write, and for
/// numbers that no matrix has.
MatrixFeatures read_features(const JsonPlace& object);

}  // namespace sparsecast
