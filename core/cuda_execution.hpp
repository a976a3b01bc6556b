#pragma once

#include <cstdint>
#include <span>

#include "core/gpu_execution.hpp"
#include "core/matrix_access.hpp"
#include "core/precision.hpp"
#include "core/schedule.hpp"

/// @file
/// What the CUDA back end does with a matrix: storage and launches, decided on the host from plain
/// numbers. The back end asks the same functions, so that predictions know it of matrices that
/// nobody has uploaded.

namespace sparsecast {

struct CudaPolicy;
struct MatrixFeatures;

/// How short block rows are multiplied.
enum class RowKernel {
  streams,  ///< a warp takes block rows as one stream of blocks
  rows,     ///< lanes share a block row
};
constexpr RowKernel row_kernel(int block_size, int lanes) {
  return (block_size == 2 || block_size == 3) && lanes == 32 ? RowKernel::streams : RowKernel::rows;
}

/// Threads of a block. Where a row has its own lanes, more rows share the input in the first-level
/// cache.
constexpr int spmv_threads(int block_size, int lanes) {
  return row_kernel(block_size, lanes) == RowKernel::rows ? 256 : 128;
}

/// A lane of a warp works on an *item* of BCSR at a time: a block, or an equal share of its rows.
constexpr int items_per_block(int block_size) {
  return block_size == 8 ? 4 : block_size == 6 ? 2 : 1;
}

/// The most values of so many bytes that one instruction loads, 16 bytes at most, of an array that
/// is cut into pieces of `pieces` values.
constexpr int unit_size(int pieces, int value_bytes) {
  int size = 16 / value_bytes;
  while (pieces % size != 0) size /= 2;
  return size;
}

/// Thread blocks of SpMV that a multiprocessor must have registers for (`__launch_bounds__`), of
/// kernels with offsets of 32 bits. Streams and rows of CSR wait for memory: fewer registers leave
/// room for more warps with loads under way. Chosen by measurement; sums at the end of a kernel
/// take some registers, too.
constexpr int least_resident_blocks(int block_size, int value_bytes, RowKernel kernel, bool sums) {
  const bool is_single = value_bytes == 4;
  if (kernel == RowKernel::streams) return block_size == 2 && is_single ? 12 : 7;
  if (block_size > 1) return 1;
  return is_single && !sums ? 8 : 6;
}

/// Elements of a row in CSR that a lane loads at a time, from a position that is a multiple of it.
inline constexpr int csr_step = 4;

/// Whether there are kernels for columns in 16 bits: where an index is a large part of a block.
constexpr bool has_narrow_kernels(int block_size) {
  return block_size <= 3;
}

/// Whether positions of so many stored values are kept in 32 bits.
bool has_short_offsets(std::int64_t values, const CudaPolicy& policy);

/// Whether block columns are kept in 16 bits if all lie near enough (`column_base`).
bool may_narrow_columns(std::int64_t values, const Layout& layout, const CudaPolicy& policy);

/// The size of a matrix as one segment in the storage of the CUDA back end, the paper's padding and
/// narrow columns included: what `segments()` of a prepared schedule says (but of `vendor`'s, whose
/// library has its own storage). Counts blocks where padding depends on their order.
template <class T>
SegmentShape cuda_shape(const CsrView<T>& matrix, const MatrixFeatures& features,
                        const MatrixAccess& access, const Layout& layout, const CudaPolicy& policy);

/// How a matrix of this size is multiplied, without its long rows.
SpmvExecution spmv_execution(const SegmentShape& shape, int block_size, Precision precision,
                             const GpuShape& gpu, const CudaPolicy& policy);

/// The same with long rows, from all block rows' lengths.
SpmvExecution spmv_execution(const SegmentShape& shape, int block_size, Precision precision,
                             const GpuShape& gpu, const CudaPolicy& policy,
                             std::span<const RowLengthCount> row_lengths);

}  // namespace sparsecast
