#pragma once

#include <optional>
#include <span>
#include <string>

#include "calibrate/sample.hpp"
#include "model/links/link_costs.hpp"
#include "model/traffic/traffic_parameters.hpp"

namespace sparsecast {

/// What several GPUs cost each other, for the traffic model.
struct LinkCostFit {
  std::optional<LinkCosts> costs;
  std::string warning;  ///< why there are none

  /// How iterations held out compare: errors of time.
  struct HeldOut {
    int samples = 0;
    double mean_error = 0;
    double median_error = 0;
  };
  HeldOut held_out;
};

/// Of so many GPUs, from their trusted samples and those of one to compare with: from the median of
/// what reductions take more than on one GPU the cost of a sum, from pairs of iterations the costs
/// of the exchanges, and from iterations held out the intervals.
LinkCostFit fit_link_costs(std::span<const Sample* const> samples, int devices,
                           const TrafficProfile& traffic);

}  // namespace sparsecast
