#pragma once

#include "core/base/text/json_text.hpp"
#include "predict/prediction.hpp"

namespace sparsecast {

/// An object; what is not known is null, and what was not asked for is left out.
JsonObject to_json(const Prediction& prediction);

}  // namespace sparsecast
