#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate/links/link_sample.hpp"
#include "model/network/network.hpp"

/// @file
/// From the samples of ranks to a network.

namespace sparsecast {

struct NetworkFit {
  Network network;
  /// By transport: of the time of its samples by these laws.
  std::map<Transport, double> median_errors;
  std::vector<std::string> warnings;
};

/// The costs of each transport: of messages and exchanges those for which `TransportCosts`' law
/// comes nearest to the samples, and of sums those of `SumCosts`; relative least squares in which a
/// sample that is off by much more than a fifth counts little. What no sample depends on is 0, with
/// a warning. A class that no two ranks had is not there. Standard errors are those of the linear
/// law at the minimum, for the deviation that the samples have from it.
///
/// The deviation of the network is that of the ranks' own work. An adapter's rate is what its
/// host's messages reached at once, if two ranks of a host exchanged with two of another; else 0.
/// Throws `Error` where there is no sample of a message or exchange.
NetworkFit fit_network(const LinkSampleFile& file, const std::string& name);

}  // namespace sparsecast
