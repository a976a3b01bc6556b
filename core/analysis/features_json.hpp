#pragma once

#include "core/analysis/features.hpp"
#include "core/base/text/json_text.hpp"

namespace sparsecast {

/// An object with all features.
JsonObject to_json(const MatrixFeatures& features);

}  // namespace sparsecast
