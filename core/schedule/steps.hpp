#pragma once

#include <vector>

#include "core/schedule/schedule.hpp"

/// @file
/// The steps that schedules are made of, with what they move (Tables 2 and 3 of Verschoor and Jalba
/// 2012).

namespace sparsecast {

/// output = A * input, of a full vector; `sum`: and input . output, -1: not.
Step product_step(VectorSlot input, VectorSlot output, ScalarSlot sum = -1);

/// The same by cuSPARSE, without a sum.
Step library_product_step(VectorSlot input, VectorSlot output);

/// Every device gets the other devices' parts of a full vector.
Step exchange_step(VectorSlot full);

Step scalar_step(std::vector<ScalarAssignment> assignments);
Step check_step(std::vector<StopTest> tests);

}  // namespace sparsecast
