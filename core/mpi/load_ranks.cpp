#include "core/base/files/shared_library.hpp"
#include "core/mpi/mpi_ranks.hpp"

namespace sparsecast {

bool has_mpi() {
  return true;
}

std::unique_ptr<ProcessRanks> open_mpi_ranks(std::function<void(const std::string& line)> say,
                                             double patience_seconds) {
  const SharedLibrary module("libsparsecast_mpi.so", "openmpi-bin");
  ProcessRanks* (*start)(const std::function<void(const std::string& line)>&, double) = nullptr;
  module.find("sparsecast_start_mpi", start);
  return std::unique_ptr<ProcessRanks>(start(say, patience_seconds));
}

}  // namespace sparsecast
