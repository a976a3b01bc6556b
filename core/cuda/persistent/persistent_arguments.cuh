#pragma once

#include <cstdint>

#include "core/cuda/run/run_state.cuh"
#include "core/workload/persistent_segment.hpp"

/// @file
/// What a persistent kernel gets. Compiled when a schedule is prepared (NVRTC): no header of the
/// host here.

namespace sparsecast::cuda {

/// What it reads of the matrix (`PersistentMatrix`).
template <class T>
struct PersistentStorage {
  const PersistentSegment* segments = nullptr;
  const PersistentSlice* slices = nullptr;
  const PersistentSlot* slots = nullptr;
  const PersistentSplit* splits = nullptr;
  const std::uint16_t* columns = nullptr;
  const T* values = nullptr;
  const std::int32_t* halo_columns = nullptr;
  const std::uint8_t* exported = nullptr;  ///< per unknown: whether it is in another's halo
  std::int64_t rows = 0;
};

/// Sums on their way from one thread block to others, in one 16-byte access: who waits for them
/// looks until they carry the tag of the wait, so that no other order of memory is needed.
struct alignas(16) SumPacket {
  std::uint64_t first;
  std::uint64_t second;
};

/// The same for a vector value, with the tag of the iteration.
template <class T>
struct HaloPacket;
template <>
struct alignas(8) HaloPacket<float> {
  float value;
  std::uint32_t tag;
};
template <>
struct alignas(16) HaloPacket<double> {
  double value;
  std::uint64_t tag;
};

static_assert(sizeof(HaloPacket<float>) == halo_packet_bytes(sizeof(float)));
static_assert(sizeof(HaloPacket<double>) == halo_packet_bytes(sizeof(double)));

/// Every packet of sums is there so often: fewer blocks wait at the same memory then.
inline constexpr int sum_copies = 4;
/// Packets are there twice, for waits and iterations in turn: who is slow still finds the last.
inline constexpr int packet_turns = 2;
/// Sums in a packet.
inline constexpr int sums_of_packet = 2;

/// Threads of a thread block, and thread blocks of a cluster, at most.
inline constexpr int most_persistent_threads = 512;
inline constexpr int most_cluster_blocks = 16;

template <class T>
struct PersistentArguments {
  /// With windows among them.
  static constexpr int most_vectors = most_persistent_vectors + 4;

  PersistentStorage<T> matrix;
  T* vectors[most_vectors] = {};          ///< of the plan; of what is computed once room for it
  const T* constants[most_vectors] = {};  ///< what that is computed of
  HaloPacket<T>* halo = nullptr;  ///< `packet_turns` of each unknown, for each published vector
  SumPacket* sums = nullptr;      ///< for each packet of sums `packet_turns * sum_copies` a block
  std::uint64_t* last_tag = nullptr;  ///< of the launch before
  RunMemory run;
  std::int64_t limit = 0;  ///< iterations
};

}  // namespace sparsecast::cuda
