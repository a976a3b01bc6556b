#pragma once

#include <vector>

#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// The step that carries out a pass on these vectors and puts its dot products into these scalars:
/// with what it does to each vector, its traffic, flops and transferred elements. Throws `Error`
/// that says what is wrong with the pass (`fault_of`).
Step pass_step(VectorPass pass, std::vector<VectorSlot> vectors, std::vector<ScalarSlot> sums = {});

}  // namespace sparsecast
