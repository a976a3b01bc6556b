#pragma once

#include <string_view>
#include <vector>

#include "core/schedule/schedule.hpp"

/// @file
/// Products by the inverses of a matrix's N x N diagonal blocks (block Jacobi), each a kernel of
/// its own. The inverses are N vectors of a segment, of a value per row: vector k has the value in
/// column k of the row's block (`core/matrix/inverse_blocks.hpp`). Rows of one block are
/// neighbours, counted from the matrix's first row, so that a device needs nothing of the others
/// where a block that lies on two of them is inverted as two.

namespace sparsecast {

/// Rows of a block, at most.
inline constexpr int largest_diagonal_block = 8;

/// The kernel, and the one that also sums input . output. Vectors: the inverses', input, output.
inline constexpr std::string_view block_kernel = "BlockDiagonal";
inline constexpr std::string_view block_dot_kernel = "BlockDiagonalDot";

/// Whether it is a product by inverse diagonal blocks.
inline bool multiplies_by_blocks(const Step& step) {
  return step.name == block_kernel || step.name == block_dot_kernel;
}

/// Rows of a block of such a step.
inline int block_rows_of(const Step& step) {
  return static_cast<int>(step.vectors.size()) - 2;
}

/// output = the inverse blocks times input, which is another vector; `sum`: and input . output, -1:
/// not.
Step block_step(std::vector<VectorSlot> inverses, VectorSlot input, VectorSlot output,
                ScalarSlot sum = -1);

}  // namespace sparsecast
