#pragma once

#include <cstdint>

#include "core/base/host_device.hpp"
#include "core/cuda/device/pack.cuh"
#include "core/cuda/several/device_links.cuh"

/// @file
/// What kernels know that store what other devices need of the rows that they compute.

namespace sparsecast::cuda {

inline constexpr int fused_threads = 256;
/// 16-byte packs of each operand that a thread has under way.
inline constexpr int fused_packs = 2;

/// Rows that a thread block takes at a time.
template <class T>
SPARSECAST_HOST_DEVICE constexpr std::int64_t fused_rows_per_part() {
  return fused_threads * fused_packs * Pack<T>::size;
}

/// Up to 32 neighbouring rows of the own segment that another device needs.
struct SentRows {
  std::uint32_t rows = 0;  ///< a bit for each
  std::int32_t group = 0;  ///< the first is 32 times this
  std::int32_t target = 0;
  std::int32_t before = 0;  ///< how many the target is sent of rows in front of these
};

/// Where the own part goes to.
template <class T>
struct PushTargets {
  int count = 0;
  T* to[most_devices];                 ///< the place of the own first row, or of the first sent
  std::uint32_t* flags[most_devices];  ///< of the receivers, all of them
  int flag_count = 0;
  bool all_rows = true;  ///< to all targets; otherwise those that are listed
  /// A target has the rows that it is sent one after the other, and no room for those between.
  bool packed = false;
  const SentRows* sent = nullptr;
  std::int64_t sent_count = 0;
};

/// What a kernel needs that stores halo values itself, as soon as it has computed them.
template <class T>
struct HaloPush {
  PushTargets<T> targets;
  /// Of `sent`, for parts of the kernel's rows, and behind them for the rows that fill no pack.
  const std::int32_t* part_begins = nullptr;  ///< null: stores nothing
  int sending_parts = 0;                      ///< parts of which something is sent
  /// Where the kernel is to begin, so that what is sent is sent early; the parts in front come
  /// last.
  std::int64_t first_part = 0;
  DeviceTurns* turns = nullptr;
  std::int32_t* ticket = nullptr;  ///< 0 between launches
};

}  // namespace sparsecast::cuda
