#include "core/base/error.hpp"
#include "core/mpi/ptscotch.hpp"

/// @file
/// What stands in for PT-Scotch in a build with MPI but without it.

namespace sparsecast {

void require_ptscotch() {
  throw Error(
      "this program was built without PT-Scotch; build it where PT-Scotch is installed "
      "(libptscotch-dev), or keep the order of the matrix");
}

std::vector<int> cut_by_ptscotch(const RankGraph&, int) {
  require_ptscotch();
  return {};
}

}  // namespace sparsecast
