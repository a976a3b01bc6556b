#pragma once

#include "core/base/text/json_text.hpp"
#include "predict/validation/data/validation_data.hpp"
#include "predict/validation/summary/validation_summary.hpp"

namespace sparsecast {

/// An object with every case and what the cases say of the forecasts.
JsonObject to_json(const ValidationData& data, const ValidationSummary& summary);

}  // namespace sparsecast
