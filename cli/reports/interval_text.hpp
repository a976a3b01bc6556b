#pragma once

#include <optional>
#include <string>

#include "predict/interval.hpp"

namespace sparsecast::cli {

/// "12.3 us to 14.5 us"; "-" for none.
std::string interval_text(const std::optional<Interval>& interval);

}  // namespace sparsecast::cli
