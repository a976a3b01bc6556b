#pragma once

#include <cstdint>

#include "core/cpu/cpu_matrix.hpp"
#include "core/engine/kernel_table.hpp"
#include "core/formats/bcsr/bcsr.hpp"

/// @file
/// The CPU's arithmetic: every function works on a part of the data, for one thread. They are
/// compiled once per instruction set and chosen at run time, so that a default build is fast on
/// the processor it meets and runs on any x86-64.

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

/// The kernels for one value type and one instruction set. Vector ranges are [begin, end);
/// sums are accumulated in double.
template <class T>
struct CpuKernels {
  const char* instruction_set;  ///< "x86-64", "avx2", "avx512"

  /// output = A * input for stored block rows [begin, end). `input` holds the whole vector and
  /// `input_padding` more finite values (zeros, say), which meet the zeros of blocks that hang over
  /// the last column; `output` the segment's rows, of which none but the rows asked for are
  /// written.
  void (*spmv)(const BcsrPointers<T>& a, std::int64_t begin, std::int64_t end, const T* input,
               T* output);

  /// The same, and the part of sum output*input over the rows that is theirs; of a square matrix,
  /// with the segment's first row at `first_row` of `input`.
  PartialSums (*spmv_dot)(const BcsrPointers<T>& a, std::int64_t begin, std::int64_t end,
                          std::int64_t first_row, const T* input, T* output);

  /// r = b - r; w = c*r; v_part = c*w; t1 = w*w; t2 = v_part*v_part; v = v_part.
  void (*cg1)(std::int64_t begin, std::int64_t end, const T* b, const T* c, T* r, T* w, T* v_part,
              T* t1, T* t2, T* v);
  /// t1 = r*r
  void (*cg2)(std::int64_t begin, std::int64_t end, const T* r, T* t1);
  /// t1 = u*v_part
  void (*cg3)(std::int64_t begin, std::int64_t end, const T* u, const T* v_part, T* t1);
  /// x += t*v_part; r -= t*u; w = c*r; t2 = w*w
  void (*cg4)(std::int64_t begin, std::int64_t end, T t, const T* v_part, const T* u, const T* c,
              T* x, T* r, T* w, T* t2);
  /// v_part = c*w + s*v_part; t3 = v_part*v_part; v = v_part
  void (*cg5)(std::int64_t begin, std::int64_t end, T s, const T* c, const T* w, T* v_part, T* t3,
              T* v);
  /// z = v = c^2*r; sums of z*r and of r*r, with r = b - u.
  PartialSums (*cg_start)(std::int64_t begin, std::int64_t end, const T* b, const T* c, const T* u,
                          T* z, T* v);
  /// z -= t*c^2*u; sums of z*r and of r*r, with r = z/c^2.
  PartialSums (*cg_residual)(std::int64_t begin, std::int64_t end, T t, const T* u, const T* c,
                             T* z);
  /// x += t*v; v = z + s*v
  void (*cg_direction)(std::int64_t begin, std::int64_t end, T t, T s, const T* z, T* v, T* x);
  /// Sum of a vector.
  double (*sum)(std::int64_t begin, std::int64_t end, const T* vector);
  /// Sum of the values of `count` vectors.
  double (*load)(std::int64_t begin, std::int64_t end, const T* const* vectors, int count);
  /// Each of `writes` vectors = sum of the `reads` vectors.
  void (*mixed)(std::int64_t begin, std::int64_t end, const T* const* read, int reads,
                T* const* write, int writes);
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

}  // namespace sparsecast
