#include "core/base/error.hpp"
#include "core/mpi/mpi_ranks.hpp"

/// @file
/// What stands in for MPI in a build without it.

namespace sparsecast {

bool has_mpi() {
  return false;
}

std::unique_ptr<ProcessRanks> open_mpi_ranks(std::function<void(const std::string&)>, double) {
  throw Error(
      "this program was built without MPI; run it without mpirun, or build it where MPI is "
      "installed");
}

}  // namespace sparsecast
