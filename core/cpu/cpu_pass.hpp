#pragma once

#include <cstdint>
#include <span>

#include "core/cpu/cpu_call.hpp"

namespace sparsecast {

/// Carries out the pass of a step on rows [begin, end): all statements on a few rows at a time, so
/// that what one reads of another is in a cache. `scalars` are the values of all slots. Returns the
/// parts of the dot products, in their order.
template <class T>
PartialSums carry_out_pass(const CpuCall<T>& call, std::span<const double> scalars,
                           std::int64_t begin, std::int64_t end);

}  // namespace sparsecast
