#pragma once

#include "core/base/text/json_text.hpp"
#include "predict/advice/advice.hpp"

namespace sparsecast {

/// An object with the recommended choice, why, and all choices.
JsonObject to_json(const Advice& advice);

}  // namespace sparsecast
