#pragma once

#include "core/base/text/json_text.hpp"
#include "predict/advice/explanation.hpp"

namespace sparsecast {

/// An object with the parts, what binds the whole and what can be done about it.
JsonObject to_json(const Explanation& explanation);

}  // namespace sparsecast
