#pragma once

#include <cstdint>
#include <vector>

#include "core/matrix/csr.hpp"

/// @file
/// Symmetric matrices of a number of nonzeros that is given to the last one, from couplings of
/// nodes of which some are left out: what the symmetric stand-ins of `table4.hpp` are made of.

namespace sparsecast {

/// Two different nodes that may be coupled. Levels (0 to 255) say which go first; within a level
/// the seed decides. A pair may be named several times.
struct Coupling {
  std::int32_t first = 0;
  std::int32_t second = 0;
  int level = 0;
};

struct CoupledNodes {
  std::int64_t rows = 0;
  std::int64_t nonzeros = 0;
  /// Rows of a node, neighbours of each other; the last node has those that are left.
  int unknowns = 1;
  /// Of each node the most nodes that it may be coupled with, itself included.
  std::vector<std::int32_t> most;
  /// Of each node whether it is coupled with itself; empty: all are.
  std::vector<bool> own_block;
};

/// Takes couplings, first those of low levels, until the matrix has its nonzeros, and leaves out
/// those of nodes that have their most. A coupling of two nodes is a full block of their unknowns
/// on either side of the diagonal, but for the last one, of which only as much is taken as is
/// missing. Off-diagonal values have sizes in [0.5, 1), the diagonal makes rows dominant: positive
/// definite where every node is coupled with itself. The same bytes with any number of threads.
/// Throws `Error` where the couplings do not suffice, and for a number of nonzeros that no
/// symmetric pattern of these blocks on the diagonal has.
CsrMatrix<double> coupled_nodes(const CoupledNodes& nodes, const std::vector<Coupling>& couplings,
                                std::uint64_t seed, int threads = 0);

}  // namespace sparsecast
