#pragma once

#include <optional>

#include "core/base/text/json_text.hpp"
#include "predict/interval.hpp"

namespace sparsecast {

/// [low, high], or null.
JsonValue to_json(const std::optional<Interval>& interval);

}  // namespace sparsecast
