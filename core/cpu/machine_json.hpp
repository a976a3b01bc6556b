#pragma once

#include "core/base/text/json_text.hpp"
#include "core/cpu/machine.hpp"

namespace sparsecast {

/// An object; sizes are 0 where they are not known.
JsonObject to_json(const CpuDescription& cpu);

}  // namespace sparsecast
