#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "calibrate/fit/curves/curve_fit_options.hpp"
#include "calibrate/fit/curves/kernel_fit.hpp"
#include "calibrate/sample.hpp"
#include "model/profile/device_profile.hpp"

/// @file
/// From the samples of a CPU's thread groups to the links of a profile.

namespace sparsecast {

struct GroupLinks {
  std::map<int, Link> links;       ///< by number of groups
  std::vector<KernelFit> kernels;  ///< of exchanges, one synchronisation taken off their times
  std::vector<std::string> warnings;
};

/// For every number of groups that there are samples of: the synchronisation and the curve of the
/// exchanges. Equation 11 charges the synchronisation separately: it is taken off the exchanges.
GroupLinks fit_group_links(std::span<const Sample> samples, const CurveFitOptions& options = {});

}  // namespace sparsecast
