#pragma once

#include <optional>
#include <span>

#include "model/links/link_costs.hpp"

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

}  // namespace sparsecast
