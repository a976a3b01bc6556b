#pragma once

#include <string>

#include "core/workload/layout.hpp"

namespace sparsecast {

/// What a refusal begins with: "layout sell", "layout cusparse-sell". The format with its variant;
/// sizes and order of rows are what the sentence is about.
std::string refused_name(const Layout& layout);

}  // namespace sparsecast
