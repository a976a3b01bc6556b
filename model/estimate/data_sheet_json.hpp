#pragma once

#include "core/base/text/json_text.hpp"
#include "model/estimate/data_sheet.hpp"

namespace sparsecast {

/// An object; what is not known is null.
JsonObject to_json(const DataSheet& sheet);

}  // namespace sparsecast
