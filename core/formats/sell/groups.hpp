#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/base/host_device.hpp"

/// @file
/// The groups of SELL (`core/formats/sell/sell.hpp`): how many entries they have, and how their
/// columns are stored.

namespace sparsecast {

/// Entries of a group.
SPARSECAST_HOST_DEVICE constexpr int sell_group(int slice_height) {
  return slice_height > 32 ? slice_height : 32;
}

/// The slice heights for which there are kernels: lanes of a GPU's warp share a row, take one each,
/// or several.
inline constexpr std::array<int, 3> sell_slice_heights{8, 32, 128};

/// Calls `function(std::integral_constant<int, C>)` for one of them.
template <class Function>
decltype(auto) with_slice_height(int height, const Function& function) {
  switch (height) {
    case 8:
      return function(std::integral_constant<int, 8>{});
    case 128:
      return function(std::integral_constant<int, 128>{});
    default:
      return function(std::integral_constant<int, 32>{});
  }
}

/// Bytes that differences up to this one take.
SPARSECAST_HOST_DEVICE constexpr int sell_column_bytes(std::uint32_t most) {
  return most < 1u << 8 ? 1 : most < 1u << 16 ? 2 : 4;
}

/// Whether a slice of so many steps with columns of so many bytes is better stored on so many
/// diagonals without: in f64 it takes no more bytes then, in f32 hardly more.
SPARSECAST_HOST_DEVICE constexpr bool sell_pays_as_diagonals(std::int64_t diagonals,
                                                             std::int64_t steps, int column_bytes) {
  return 8 * diagonals <= (8 + column_bytes) * steps;
}

}  // namespace sparsecast
