#pragma once

#include "model/network/network.hpp"

namespace sparsecast {

/// Two ranks on a host, which share an adapter as fast as a link.
inline Network example_network() {
  Network network;
  network.name = "example";
  network.description = "an example";
  network.ranks_per_host = 2;
  network.adapters_per_host = 1;
  network.adapter_gbps = 20;
  network.deviation = 0.02;
  TransportCosts costs;
  costs.fixed_seconds = {5e-6, 1e-6};
  costs.message_seconds = {1e-6, 2e-7};
  costs.links[LinkClass::same_host] = {{2e-6, 1e-7}, {100, 5}};
  costs.links[LinkClass::other_host] = {{9e-6, 1e-6}, {20, 1}};
  costs.sum = {{4e-6, 1e-6},
               {{LinkClass::same_host, {3e-6, 1e-6}}, {LinkClass::other_host, {1e-5, 2e-6}}}};
  network.transports[Transport::nccl] = costs;
  return network;
}

}  // namespace sparsecast
