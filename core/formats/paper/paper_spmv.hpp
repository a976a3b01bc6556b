#pragma once

#include <cstdint>
#include <span>

#include "core/formats/bcsr/bcsr.hpp"
#include "core/workload/paper_mapping.hpp"

/// @file
/// The storage of the paper's own multiplication on GPUs (sections 3.1 to 3.7): how it is reordered
/// and padded, on the host. `core/workload/paper_mapping.hpp` says how threads share it,
/// `core/formats/paper/cuda.cu` multiplies. It is the baseline that our default kernels are
/// measured against.

namespace sparsecast {

/// Cumulative numbers of matrix blocks, padding included, of the thread blocks of `padded` and
/// `reordered` storage: entry k is the number before thread block k. All By block rows of a thread
/// block (the last one's too, where there are fewer) are as long as its longest, rounded up to a
/// multiple of Bx. `block_offsets` as in `BcsrMatrix`.
Buffer<std::int64_t> paper_thread_block_offsets(std::span<const std::int64_t> block_offsets,
                                                const PaperGeometry& geometry);

/// A matrix in the paper's storage.
template <class T>
struct PaperArrangement {
  /// `plain`: of block rows. Else of thread blocks, see `paper_thread_block_offsets`.
  Buffer<std::int64_t> offsets;
  Buffer<std::int32_t> block_columns;
  Buffer<T> values;  ///< N * N a block, row major
};

/// Arranges a matrix. Empty blocks are zeros; their columns are that of the row's last block, 0 in
/// an empty row.
template <class T>
PaperArrangement<T> arrange_as_in_paper(const BcsrMatrix<T>& matrix, PaperStorage storage,
                                        const PaperGeometry& geometry);

}  // namespace sparsecast
