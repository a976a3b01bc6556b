#pragma once

#include <string>

#include "predict/validation/data/validation_data.hpp"

namespace sparsecast::cli {

/// What ran: "fused graph", on a CPU "fused".
std::string solver_label(const ValidationRow& row);

/// "measured on NVIDIA H200, cuda:0, forecast by profile nvidia-h200", as far as it is known.
std::string validation_label(const ValidationData& data);

}  // namespace sparsecast::cli
