#pragma once

#include <cuda_runtime.h>

#include <cstddef>

/// @file
/// What is called of NCCL 2, loaded when it is first used. Its header is part of neither the
/// toolkit nor of every system that has the library; these are the names and numbers of its binary
/// interface, which have not changed since NCCL 2.7.

namespace sparsecast::cuda {

/// A communicator, which only the library looks into.
using NcclComm = struct ncclComm*;

/// What the ranks of a communicator know each other by.
struct NcclUniqueId {
  char bytes[128];
};

enum class NcclResult : int { success = 0 };
enum class NcclType : int { float32 = 7, float64 = 8 };
enum class NcclOperation : int { sum = 0 };

struct Nccl {
  const char* (*get_error_string)(NcclResult) = nullptr;
  NcclResult (*get_version)(int* version) = nullptr;
  NcclResult (*get_unique_id)(NcclUniqueId*) = nullptr;
  NcclResult (*comm_init_rank)(NcclComm*, int ranks, NcclUniqueId, int rank) = nullptr;
  NcclResult (*comm_destroy)(NcclComm) = nullptr;
  NcclResult (*comm_abort)(NcclComm) = nullptr;
  NcclResult (*group_start)() = nullptr;
  NcclResult (*group_end)() = nullptr;
  NcclResult (*all_reduce)(const void* from, void* to, std::size_t count, NcclType, NcclOperation,
                           NcclComm, cudaStream_t) = nullptr;
  NcclResult (*send)(const void* from, std::size_t count, NcclType, int to, NcclComm,
                     cudaStream_t) = nullptr;
  NcclResult (*receive)(void* to, std::size_t count, NcclType, int from, NcclComm,
                        cudaStream_t) = nullptr;
};

/// The functions of the library. The first call loads, and sets the process's environment variable
/// NCCL_GRAPH_MIXING_SUPPORT to 0 unless it is set; it throws `Error` that names the file and what
/// to install when there is none.
const Nccl& nccl();

void check(NcclResult result, const char* call, const char* file, int line);

}  // namespace sparsecast::cuda
