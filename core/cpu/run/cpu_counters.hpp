#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/cpu/run/cpu_device.hpp"
#include "core/cpu/run/cpu_program.hpp"
#include "core/engine/backend.hpp"

namespace sparsecast {

/// Adds what the devices did when each item of a program ran so often (`item_runs`). An exchange
/// moves so many values. Iterations are not counted.
template <class T>
void count(const CpuProgram& program, std::span<const std::int64_t> item_runs,
           std::span<const std::unique_ptr<CpuDevice<T>>> devices, std::int64_t exchanged_values,
           RunCounters& counters);

}  // namespace sparsecast
