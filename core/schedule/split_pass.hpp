#pragma once

#include <vector>

#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// What a step with a pass does, as steps whose passes have no blocks (`pass_blocks`): the step
/// itself if it has none. For kernels that take few vectors; what is read more than once is read by
/// each. Guards are the step's.
std::vector<Step> without_blocks(const Step& step);

}  // namespace sparsecast
