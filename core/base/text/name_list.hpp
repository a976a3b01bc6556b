#pragma once

#include <span>
#include <string>

namespace sparsecast {

/// "fused, algorithm1 or vendor"
std::string one_of(std::span<const std::string> names);

}  // namespace sparsecast
