#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/fit/curves/curve_fit_options.hpp"
#include "calibrate/fit/curves/kernel_fit.hpp"
#include "calibrate/fit/links/link_cost_fit.hpp"
#include "calibrate/sample.hpp"
#include "model/profile/device_profile.hpp"

/// @file
/// From the samples of several GPUs (`calibrate/plan/link_plan.hpp`) to the links of a profile.

namespace sparsecast {

struct GpuLinks {
  std::map<int, Link> links;       ///< by number of devices
  std::vector<KernelFit> kernels;  ///< of whole vectors exchanged alone
  std::vector<std::string> warnings;
  std::map<int, LinkCostFit::HeldOut> held_out;  ///< by number of devices, of iterations

  /// Several lines.
  std::string full() const;
};

/// For every number of GPUs that there are samples of: the curves of exchanges alone, from the
/// median of what reductions take more than on one GPU the cost of a sum, from pairs of iterations
/// the costs of the exchanges, and from iterations held out the intervals. The last two need the
/// traffic model. Samples that are not `trusted` are left out.
GpuLinks fit_gpu_links(std::span<const Sample> samples,
                       const std::optional<TrafficProfile>& traffic,
                       const CurveFitOptions& options = {});

}  // namespace sparsecast
