#pragma once

#include <cstdint>

#include "core/cuda/run/run_state.cuh"
#include "core/cuda/vector/vector_kernels.cuh"

namespace sparsecast::cuda {

/// output = 0, as the first launch of a product, or all of it where there are no entries.
template <class T>
Launch clear_rows_launch(T* output, std::int64_t rows, const Gate& gate);

}  // namespace sparsecast::cuda
