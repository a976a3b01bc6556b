#pragma once

#include <cuda_runtime.h>

#include "core/cuda/vendor/nccl.cuh"
#include "core/engine/ranks/communicator.hpp"

namespace sparsecast::cuda {

/// The GPUs of ranks, one each, that NCCL joins: on one host or on many.
class NcclGroup {
 public:
  /// Of the current devices. Throws `Error`, the same on all ranks, where the library is missing or
  /// refuses, as for two ranks on one GPU. All ranks call it.
  explicit NcclGroup(Communicator& ranks);
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  /// Throws `Error` once it has been ended.
  NcclComm get() const;

  /// Ends what is under way, for good: else who waits for it would wait for ranks that have failed.
  void abort();

  /// Waits for the work of a stream, or for an event. Throws `Error` when that takes longer than
  /// the patience, as a rank does not answer, and when the work has failed; after `abort`.
  void wait(cudaStream_t stream, double patience_seconds);
  void wait(cudaEvent_t event, double patience_seconds);

 private:
  NcclGroup() = default;
  template <class IsThere>
  void wait_until(const IsThere& is_there, double patience_seconds);

  NcclComm communicator_ = nullptr;
};

}  // namespace sparsecast::cuda
