#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/schedule/schedule.hpp"
#include "core/workload/layout.hpp"

/// @file
/// The kernels that schedules name, and how each uses its operands: the same on every back end.

namespace sparsecast {

/// Finite values that a multiplied vector needs behind its last one: kernels read them and multiply
/// them by the zeros of blocks that hang over the last column.
inline constexpr std::int64_t input_padding = 8;

/// What a kernel does to one of its vectors. `read`, `update` and `write` touch, for every row of
/// the thread's range, only the value of that row; `neighbours` reads those of some rows around it
/// that are the same device's; `gather` and `scatter` touch any.
enum class Access { read, update, write, neighbours, gather, scatter };

constexpr bool reads(Access access) {
  return access == Access::read || access == Access::update || access == Access::neighbours ||
         access == Access::gather;
}
constexpr bool writes(Access access) {
  return access == Access::write || access == Access::update || access == Access::scatter;
}
constexpr bool by_row(Access access) {
  return access == Access::read || access == Access::update || access == Access::write;
}
/// Whether the rows that it touches are the device's own.
constexpr bool in_segment(Access access) {
  return by_row(access) || access == Access::neighbours;
}

/// A kernel, whoever carries it out.
struct KernelSignature {
  std::string_view name;
  /// How it uses the vectors of a step, in their order. Throws `Error` if their number is wrong.
  std::vector<Access> (*accesses)(const Step& step, RowOrder row_order) = nullptr;
  int scalars = 0;              ///< operands
  int sums = 0;                 ///< over all rows, known to the next step; a pass has its dots
  bool uses_matrix = false;     ///< rows are stored block rows times N
  bool sums_at_end = false;     ///< its scalar is the sum over all rows, known when a run ends
  bool self_scheduled = false;  ///< threads take parts of the rows as they get free
};

/// The signature for a `kernel` or `reduce` step (whose name is not read then). Throws `Error`
/// that names the step and lists the known kernels, which `back_end` ("the CPU") has, or says which
/// operands it expects.
const KernelSignature& find_kernel(const Step& step, std::string_view back_end);

}  // namespace sparsecast
