#pragma once

#include <map>
#include <string>

#include "core/workload/exchange_mode.hpp"
#include "model/interval_ratios.hpp"
#include "model/paper/throughput_curve.hpp"

/// @file
/// What working on one system together costs several GPUs: what the traffic model adds to the time
/// of their segments (`model/links/parallel_pricer.hpp`). `calibrate/fit/link_fit.hpp` fits it.

namespace sparsecast {

/// A fitted number and its standard error, in its own unit.
struct Estimate {
  double value = 0;
  double error = 0;
};

/// An exchange in front of a product, in one mode:
/// `fixed + max(0, bytes / gbps - hidden * product of the rows that need nothing of it)`.
struct ExchangeCosts {
  Estimate fixed_seconds;  ///< launch, flags, first values
  Estimate gbps;           ///< 1e9 bytes a second, of what `ExchangeVolume` says counts
  Estimate hidden;         ///< 0: nothing of the product runs meanwhile; 1: all that could
};

/// What calibration found of n GPUs.
struct LinkCosts {
  std::map<ExchangeMode, ExchangeCosts> exchanges;
  Estimate sum_seconds;     ///< of a sum over all devices, more than over one
  int samples = 0;          ///< whole iterations that were fitted
  double median_error = 0;  ///< of the time of these iterations
  /// Measured over predicted time of iterations on other matrices, by `interval_keys`.
  std::map<std::string, IntervalRatios> intervals;
};

}  // namespace sparsecast
