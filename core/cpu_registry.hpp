#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/cpu_kernels.hpp"
#include "core/schedule.hpp"

/// @file
/// How the CPU back end carries out the steps of a schedule by name. A new kernel is one more entry
/// of the table in `cpu_registry.cpp`; barriers, threads, counters and checks follow from it.

namespace sparsecast {

/// What a kernel does to one of its vectors. `read`, `update` and `write` touch, for every row of
/// the thread's range, only the value of that row; `gather` and `scatter` touch any.
enum class Access { read, update, write, gather, scatter };

constexpr bool reads(Access access) {
  return access == Access::read || access == Access::update || access == Access::gather;
}
constexpr bool writes(Access access) {
  return access == Access::write || access == Access::update || access == Access::scatter;
}
constexpr bool by_row(Access access) {
  return access != Access::gather && access != Access::scatter;
}

/// One step, ready to be called on a device.
template <class T>
struct CpuCall {
  const CpuKernels<T>* kernels = nullptr;
  const BcsrPointers<T>* matrix = nullptr;
  std::vector<T*> vectors;          ///< the device's; by-row operands start at its segment
  std::vector<ScalarSlot> scalars;  ///< operands of the step
  int reads = 0;                    ///< how many of the vectors are read only (`Mixed`)
  std::int64_t first_row = 0;       ///< of the device's segment
};

/// A kernel for a range of rows of a segment. `scalars` are the values of all slots. Returns the
/// thread's parts of what it sums (kernels with `sums` or `sums_at_end`), otherwise 0.
template <class T>
using CpuFunction = PartialSums (*)(const CpuCall<T>& call, std::span<const double> scalars,
                                    std::int64_t begin, std::int64_t end);

template <class T>
struct CpuKernelEntry {
  std::string_view name;
  /// How it uses the vectors of a step, in their order. Throws `Error` if their number is wrong.
  std::vector<Access> (*accesses)(const Step& step, RowOrder row_order);
  int scalars = 0;  ///< operands
  CpuFunction<T> run = nullptr;
  bool uses_matrix = false;     ///< rows are stored block rows times N
  bool sums_at_end = false;     ///< its scalar is the sum over all rows, known when a run ends
  bool self_scheduled = false;  ///< threads take parts of the rows as they get free
  int sums = 0;                 ///< over all rows, known to the next step
};

/// All kernels that the CPU back end knows.
template <class T>
std::span<const CpuKernelEntry<T>> cpu_kernel_table();

/// The entry for a `kernel` or `reduce` step (whose name is then of no matter). Throws `Error` that
/// names the step and lists the known kernels, or says which operands it expects.
template <class T>
const CpuKernelEntry<T>& find_cpu_kernel(const Step& step);

}  // namespace sparsecast
