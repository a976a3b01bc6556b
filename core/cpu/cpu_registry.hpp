#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/cpu/cpu_call.hpp"
#include "core/schedule/schedule.hpp"

/// @file
/// How the CPU back end carries out the steps of a schedule by name. A new kernel is one more entry
/// of the tables in `core/engine/kernel_table.cpp` and `cpu_registry.cpp`; barriers, threads,
/// counters and checks follow from them.

namespace sparsecast {

/// The back end in messages.
inline constexpr std::string_view cpu_name = "the CPU";

/// A kernel for a range of rows of a segment. `scalars` are the values of all slots. Returns the
/// thread's parts of what it sums (`KernelSignature::sums` and `sums_at_end`), otherwise 0.
template <class T>
using CpuFunction = PartialSums (*)(const CpuCall<T>& call, std::span<const double> scalars,
                                    std::int64_t begin, std::int64_t end);

/// What carries out a `kernel` or `reduce` step that `find_kernel` knows.
template <class T>
CpuFunction<T> cpu_function(const Step& step);

}  // namespace sparsecast
