#include "model/network/sum_tree.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "model/network/placement.hpp"

namespace sparsecast {
namespace {

int doublings(int count) {
  return std::bit_width(static_cast<unsigned>(count - 1));
}

bool is_shorter(const SumSteps& one, const SumSteps& other) {
  return std::tie(one.other_host, one.same_host) < std::tie(other.other_host, other.same_host);
}

}  // namespace

SumSteps steps_in_sum_tree(int rank, int ranks_per_host) {
  SumSteps steps;
  while (rank > 0) {
    const int parent = rank & (rank - 1);
    const bool near = link_between(rank, parent, ranks_per_host) == LinkClass::same_host;
    ++(near ? steps.same_host : steps.other_host);
    rank = parent;
  }
  return steps;
}

SumSteps steps_of_sum(Transport transport, int ranks, int ranks_per_host) {
  if (transport == Transport::nccl) {
    const int hosts = (ranks + ranks_per_host - 1) / ranks_per_host;
    return {doublings(std::min(ranks, ranks_per_host)), doublings(hosts)};
  }
  SumSteps longest;
  for (int rank = 0; rank < ranks; ++rank) {
    longest = std::max(longest, steps_in_sum_tree(rank, ranks_per_host), is_shorter);
  }
  return longest;
}

}  // namespace sparsecast
