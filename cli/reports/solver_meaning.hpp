#pragma once

#include <string>
#include <string_view>

namespace sparsecast::cli {

/// What a solver's name means where it is none that the field knows: "fused: conjugate gradients
/// with ..."; empty of others.
std::string solver_meaning(std::string_view name);

}  // namespace sparsecast::cli
