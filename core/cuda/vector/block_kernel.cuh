#pragma once

#include <cstdint>
#include <span>

#include "core/cuda/vector/block_finish.cuh"
#include "core/cuda/vector/vector_kernels.cuh"

namespace sparsecast::cuda {

/// The launch of a product by inverse diagonal blocks (`core/schedule/diagonal_blocks.hpp`) on the
/// rows of a segment, whose first one is `first_row` of the matrix. `vectors` are the step's
/// operands there. `finish` has memory for as many partial sums as `shape` allows thread blocks;
/// `parts` is set here.
template <class T>
Launch block_launch(const Step& step, std::span<T* const> vectors, std::int64_t first_row,
                    std::int64_t size, const Gate& gate, const BlockFinish& finish,
                    const LaunchShape& shape);

}  // namespace sparsecast::cuda
