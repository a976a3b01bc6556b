#pragma once

#include <string>
#include <vector>

#include "core/engine/ranks/communicator.hpp"

namespace sparsecast::cuda {

/// Where a rank finds the memory of other ranks' GPUs: that of other processes of its host is
/// mapped by CUDA IPC, that of other threads of its process is where they say. While it lives,
/// nobody frees what the others have given.
class PeerMemory {
 public:
  PeerMemory() = default;
  /// `own`: what this rank gives, an allocation of the current device of `MemoryKind::own`; another
  /// device may be the current one afterwards. Throws `Error` on all ranks where one of them cannot
  /// reach another's. All ranks call it.
  PeerMemory(Communicator& ranks, void* own);
  PeerMemory(PeerMemory&& other) noexcept;
  PeerMemory& operator=(PeerMemory&& other) noexcept;
  ~PeerMemory();

  /// What the rank has given, as kernels of the current device find it.
  void* of(int rank) const { return addresses_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<void*> addresses_;  ///< by rank
  std::vector<void*> mapped_;     ///< those of other processes
};

/// Why the current devices of the ranks do not reach each other's memory, and read there what is
/// written; empty where they do. Another device may be the current one afterwards. All ranks call
/// it.
std::string why_not_reached(Communicator& ranks);

}  // namespace sparsecast::cuda
