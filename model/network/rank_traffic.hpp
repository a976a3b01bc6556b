#pragma once

#include <span>
#include <vector>

#include "model/links/parallel_costs.hpp"
#include "model/network/network.hpp"

namespace sparsecast {

/// What a rank exchanges with another one before a product.
struct NeighbourTraffic {
  int rank = 0;
  double received_bytes = 0;
  double sent_bytes = 0;
};

/// What exchanges and sums of ranks cost: `neighbours[i]` are those of rank i, of which each
/// `ranks_per_host` in a row share a host. The docs of `TransportCosts` and `SumCosts` say how.
/// Throws `Error` where the network does not know a class of links that ranks use, or the
/// transport.
ParallelCosts costs_on_network(const Network& network, Transport transport,
                               std::span<const std::vector<NeighbourTraffic>> neighbours,
                               int ranks_per_host);

/// A network whose costs are so many standard errors higher, rates lower; none is below 0.
Network shifted(const Network& network, double deviations);

/// The mean of the largest of n independent numbers with a normal distribution of deviation 1
/// (G. Blom, Statistical Estimates and Transformed Beta-Variables, 1958): 0 for one.
double expected_maximum(int n);

}  // namespace sparsecast
