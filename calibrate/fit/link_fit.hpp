#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/fit/curves/average_fit.hpp"
#include "calibrate/fit/profile_fit.hpp"
#include "calibrate/sample.hpp"
#include "model/device_profile.hpp"

/// @file
/// From the samples of several GPUs (`calibrate/plan/link_plan.hpp`) to the links of a profile.

namespace sparsecast {

/// An iteration on n GPUs beside one on a GPU that has the n-th part to do alone.
struct LinkPoint {
  double seconds = 0;        ///< on n GPUs
  double alone_seconds = 0;  ///< of the part
  double noise_seconds = 0;  ///< standard error of their difference
  int sums = 2;              ///< over all devices, in an iteration
  double bytes = 0;          ///< that count for the exchange (`ParallelPricer::exchanged_bytes`)
  /// Of the product of the rows that need nothing of it.
  double interior_seconds = 0;
};

/// The costs of a mode of exchange, of which `sum_seconds` is known: least squares with Huber's
/// loss on what n GPUs take more than the part alone. Errors are of the jackknife. Nothing for
/// fewer than six points. Where even without an exchange the sums would take longer than measured,
/// they are made shorter.
std::optional<ExchangeCosts> fit_exchange(std::span<const LinkPoint> points, double& sum_seconds);

struct GpuLinks {
  std::map<int, Link> links;       ///< by number of devices
  std::vector<KernelFit> kernels;  ///< of whole vectors exchanged alone
  std::vector<std::string> warnings;
  /// How iterations held out compare: errors of time, by number of devices.
  struct HeldOut {
    int samples = 0;
    double mean_error = 0;
    double median_error = 0;
  };
  std::map<int, HeldOut> held_out;

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
