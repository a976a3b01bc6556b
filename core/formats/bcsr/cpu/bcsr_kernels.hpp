#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu/cpu_matrix.hpp"
#include "core/engine/kernel_table.hpp"
#include "core/formats/bcsr/bcsr.hpp"

/// @file
/// Products of CSR and BCSR for a part of the rows, for one thread, compiled once per instruction
/// set.

namespace sparsecast {

/// A BCSR segment as raw pointers, as kernels want it.
template <class T>
struct BcsrPointers {
  int block_size;
  std::int64_t rows;
  std::int64_t columns;
  const std::int64_t* block_offsets;
  const std::int32_t* block_columns;
  const T* values;
  const std::int32_t* row_index;  ///< null: natural order
};

/// The pointers of a converted segment, valid as long as it is.
template <class T>
BcsrPointers<T> pointers(const BcsrMatrix<T>& matrix) {
  return {matrix.block_size,
          matrix.rows,
          matrix.columns,
          matrix.block_offsets.data(),
          matrix.block_columns.data(),
          matrix.values.data(),
          matrix.row_index.empty() ? nullptr : matrix.row_index.data()};
}

/// The products for one value type and one instruction set.
template <class T>
struct BcsrKernels {
  /// output = A * input for stored block rows [begin, end). `input` holds the whole vector and
  /// `input_padding` more finite values (zeros, say), which meet the zeros of blocks that hang over
  /// the last column; `output` the segment's rows, of which none but the rows asked for are
  /// written.
  void (*multiply)(const BcsrPointers<T>& a, std::int64_t begin, std::int64_t end, const T* input,
                   T* output);

  /// The same, and the part of sum output*input over the rows that is theirs; of a square matrix,
  /// with the segment's first row at `first_row` of `input`.
  PartialSums (*multiply_dot)(const BcsrPointers<T>& a, std::int64_t begin, std::int64_t end,
                              std::int64_t first_row, const T* input, T* output);
};

/// The best that this processor can run.
template <class T>
const BcsrKernels<T>& bcsr_kernels();

/// Those of an instruction set, by its place in `instruction_sets`; null where the build has none.
template <class T>
const BcsrKernels<T>* bcsr_kernels(std::size_t instruction_set);

}  // namespace sparsecast
