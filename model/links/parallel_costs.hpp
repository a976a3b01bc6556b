#pragma once

#include <vector>

namespace sparsecast {

/// What it costs devices, or ranks, to work on one system: what the traffic model adds to the time
/// of their segments (`ParallelPricer`).
struct ParallelCosts {
  /// Of an exchange in front of a product, for one device:
  /// `fixed + max(0, moving - hidden * product)`.
  struct Exchange {
    double fixed_seconds = 0;
    double moving_seconds = 0;
    double hidden = 0;  ///< the share of that product that runs meanwhile
  };
  std::vector<Exchange> exchanges;  ///< by device
  double sum_seconds = 0;           ///< of a sum over all devices, more than over one
  /// Devices that wait for each other wait for the slowest: longer by this share of their time.
  double uneven = 0;
};

}  // namespace sparsecast
