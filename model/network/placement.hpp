#pragma once

#include "model/network/network.hpp"

/// @file
/// Where ranks are: so many in a row share a host.

namespace sparsecast {

/// The number of its host.
constexpr int host_of(int rank, int ranks_per_host) {
  return rank / ranks_per_host;
}

/// What lies between two ranks.
constexpr LinkClass link_between(int rank, int other, int ranks_per_host) {
  return host_of(rank, ranks_per_host) == host_of(other, ranks_per_host) ? LinkClass::same_host
                                                                         : LinkClass::other_host;
}

}  // namespace sparsecast
