#pragma once

#include <string_view>

#include "core/base/precision.hpp"
#include "core/base/text/json_text.hpp"
#include "core/engine/solve_result.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// An object with how a solve ended and what it cost, and what it was: by which solver, on which
/// device (for people), in which layout and precision.
JsonObject to_json(const SolveResult& result, std::string_view solver, std::string_view device,
                   const Layout& layout, Precision precision);

}  // namespace sparsecast
