#pragma once

#include "core/base/precision.hpp"
#include "core/base/text/json_tree.hpp"

namespace sparsecast {

/// Reads "f32" or "f64". Throws `Error` with the place for anything else.
Precision read_precision(const JsonPlace& place);

}  // namespace sparsecast
