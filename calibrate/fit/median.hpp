#pragma once

#include <vector>

namespace sparsecast {

/// The middle one; of an even number the mean of the two in the middle. Of at least one value.
double median(std::vector<double> values);

}  // namespace sparsecast
