#include "core/cuda/vendor/nccl.cuh"

#include <cstdlib>

#include "core/base/files/shared_library.hpp"
#include "core/cuda/device/failed_call.hpp"

namespace sparsecast::cuda {

const Nccl& nccl() {
  static const Nccl all = [] {
    // Spares microseconds at each call in a graph, and asks that no call outside of graphs comes
    // before these have ended, nor graphs of several streams at a time: each run waits for its own.
    setenv("NCCL_GRAPH_MIXING_SUPPORT", "0", 0);
    const SharedLibrary library("libnccl.so.2", "NCCL (libnccl2)");
    Nccl functions;
    library.find("ncclGetErrorString", functions.get_error_string);
    library.find("ncclGetVersion", functions.get_version);
    library.find("ncclGetUniqueId", functions.get_unique_id);
    library.find("ncclCommInitRank", functions.comm_init_rank);
    library.find("ncclCommDestroy", functions.comm_destroy);
    library.find("ncclCommAbort", functions.comm_abort);
    library.find("ncclGroupStart", functions.group_start);
    library.find("ncclGroupEnd", functions.group_end);
    library.find("ncclAllReduce", functions.all_reduce);
    library.find("ncclSend", functions.send);
    library.find("ncclRecv", functions.receive);
    return functions;
  }();
  return all;
}

void check(NcclResult result, const char* call, const char* file, int line) {
  if (result == NcclResult::success) return;
  fail_call(nccl().get_error_string(result), call, file, line);
}

}  // namespace sparsecast::cuda
