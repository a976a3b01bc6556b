#pragma once

#include <string_view>

#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// The kind of a step's kernel on vectors, its key among `TrafficParameters::kernels`.
std::string_view kernel_key(const Step& step);

}  // namespace sparsecast
