#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cpu/cpu_matrix.hpp"

/// @file
/// The CPU's arithmetic with vectors: every function works on a part of the data, for one thread,
/// and is compiled once per instruction set.

namespace sparsecast {

/// A term of a pass: coefficient * vector, elementwise times another vector unless that is null.
template <class T>
struct CpuPassTerm {
  T coefficient = 0;
  const T* vector = nullptr;
  const T* times = nullptr;
};

/// Inverse diagonal blocks of a segment.
template <class T>
struct CpuBlocks {
  const T* const* columns = nullptr;  ///< `block_rows` vectors, from the segment's first row on
  int block_rows = 0;                 ///< 1 to `largest_diagonal_block`
  std::int64_t first_row = 0;         ///< of the segment, in the matrix
  std::int64_t rows = 0;              ///< of the segment
};

/// The kernels for one value type and one instruction set. Vector ranges are [begin, end);
/// sums are accumulated in double.
template <class T>
struct CpuKernels {
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
  /// target = the sum of `count` terms, among which target itself may be.
  void (*combine)(std::int64_t begin, std::int64_t end, const CpuPassTerm<T>* terms, int count,
                  T* target);
  /// target = inverse diagonal blocks times the input, another vector
  /// (`core/schedule/diagonal_blocks.hpp`).
  void (*multiply_blocks)(std::int64_t begin, std::int64_t end, const CpuBlocks<T>& blocks,
                          const T* input, T* target);
  /// Sum of a*b, which may be the same vector.
  double (*dot)(std::int64_t begin, std::int64_t end, const T* a, const T* b);
};

/// The best kernels that this processor can run.
template <class T>
const CpuKernels<T>& cpu_kernels();

/// Those of an instruction set, by its place in `instruction_sets`; null where the build has none.
template <class T>
const CpuKernels<T>* cpu_kernels(std::size_t instruction_set);

}  // namespace sparsecast
