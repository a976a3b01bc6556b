#pragma once

#include "model/network/network.hpp"

/// @file
/// The way of a sum between ranks, of which so many in a row share a host.

namespace sparsecast {

/// Messages one way, one after the other.
struct SumSteps {
  int same_host = 0;
  int other_host = 0;
};

/// Those between rank 0 and this one in the tree of `Communicator::sum`.
SumSteps steps_in_sum_tree(int rank, int ranks_per_host);

/// Those that the whole sum waits for: in that tree to the ranks that are furthest, and by NCCL as
/// many as ranks on a host, and hosts, double from 1 on until there are as many.
SumSteps steps_of_sum(Transport transport, int ranks, int ranks_per_host);

}  // namespace sparsecast
