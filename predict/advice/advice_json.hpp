#pragma once

#include "core/base/text/json_text.hpp"
#include "predict/advice/advice.hpp"

namespace sparsecast {

/// An object with the recommended choice, why, and all choices.
JsonObject to_json(const Advice& advice);

/// Its choices alone, each with "recommended": whether it is.
std::vector<JsonObject> choices_to_json(const Advice& advice);

}  // namespace sparsecast
