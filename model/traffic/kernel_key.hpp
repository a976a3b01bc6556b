#pragma once

#include <string_view>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/gpu_execution.hpp"

namespace sparsecast {

/// The kind of a step's kernel on vectors, its key among `TrafficParameters::kernels`.
std::string_view kernel_key(const Step& step);

/// Whether the thread blocks of such a kernel stay and take part after part of its rows, with the
/// grid's stride: where it sums, and where its vectors stay in L2 (`comes_from_memory`). Others
/// have a thread block for each part.
bool takes_grid_strides(const Step& step, double rows, Precision precision, const GpuShape& gpu);

}  // namespace sparsecast
