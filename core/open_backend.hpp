#pragma once

#include <memory>
#include <string_view>

#include "core/engine/backend.hpp"
#include "core/workload/cuda_policy.hpp"

namespace sparsecast {

/// Opens a back end by device list: "cpu" (all threads, one device), "cpu:0,cpu:1" (the threads cut
/// into that many groups), "cuda:0" (a GPU), "cuda:0,cuda:1" (several), "cuda:0/32" (a part of a
/// GPU with so many multiprocessors). `threads` = 0 means all that the process may use. Throws
/// `Error` that lists what is there for an unknown device, and for a GPU or a part that is not
/// there.
std::unique_ptr<Backend> open_backend(std::string_view devices, int threads = 0);

/// The same, with sizes and launch mode for GPUs.
std::unique_ptr<Backend> open_backend(std::string_view devices, int threads,
                                      const CudaPolicy& cuda);

}  // namespace sparsecast
