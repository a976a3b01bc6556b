#pragma once

#include <cstdint>

#include "core/cuda/device/pack.cuh"
#include "core/schedule/vector_pass.hpp"

/// @file
/// A pass as kernels get it, and how a thread carries it out on its rows: these lie in registers,
/// so that an operand is chosen by branches that all threads take alike, and never by its address.

namespace sparsecast::cuda {

struct DevicePassTerm {
  double factor;
  std::int32_t scalar;  ///< negative: none
  std::int8_t operand;
  std::int8_t times;  ///< negative: none
};

struct DevicePassStatement {
  std::int8_t target;  ///< negative: a dot product
  std::int8_t a;
  std::int8_t b;
  std::int8_t terms;  ///< how many
};

/// A term with the value of its scalar.
template <class T>
struct alignas(16) ValuedTerm {
  T coefficient;
  std::int16_t operand;
  std::int16_t times;
};

template <class T, int operands>
struct DevicePass {
  T* vectors[operands];
  std::uint32_t reads = 0;   ///< a bit for each operand that is read before it is assigned
  std::uint32_t writes = 0;  ///< that is assigned
  int statement_count = 0;
  int term_count = 0;
  DevicePassStatement statements[most_pass_statements];
  DevicePassTerm terms[most_pass_terms];  ///< of all statements, one behind the other
};

/// The rows of `packs` packs of every operand, which lie `stride` packs apart. Rows from `size` on
/// are not there.
template <class T, int operands, int packs, int stride>
class PassRows {
 public:
  __device__ void load(const DevicePass<T, operands>& pass, std::int64_t first_pack,
                       std::int64_t size) {
    first_row_ = first_pack * width;
    whole_ = first_row_ + ((packs - 1) * stride + 1) * width <= size;
#pragma unroll
    for (int k = 0; k < operands; ++k) {
      const bool is_read = (pass.reads >> k & 1) != 0;
#pragma unroll
      for (int p = 0; p < packs; ++p) {
        Pack<T> pack{};
        if (is_read) pack = load_pack(pass.vectors[k], p, size);
#pragma unroll
        for (int lane = 0; lane < width; ++lane) {
          rows_[k][p * width + lane] = pack.values[lane];
        }
      }
    }
  }

  /// `statements` and `terms`: of the pass, in shared memory. Adds the dot products to `sums`.
  template <int dots>
  __device__ void carry_out(int count, const DevicePassStatement* statements,
                            const ValuedTerm<T>* terms, std::int64_t size, double (&sums)[dots]) {
    int term = 0;
    int dot = 0;
#pragma unroll 1
    for (int s = 0; s < count; ++s) {
      const DevicePassStatement statement = statements[s];
      if (statement.target < 0) {
        const double product = dot_product(statement.a, statement.b, size);
        with_place<dots>(dot++, [&](int d) { sums[d] += product; });
        continue;
      }
      T totals[values] = {};
      const int end = term + statement.terms;
#pragma unroll 1
      for (; term < end; ++term) add_term(terms[term], totals);
      with_place<operands>(statement.target, [&](int k) {
#pragma unroll
        for (int j = 0; j < values; ++j) rows_[k][j] = totals[j];
      });
    }
  }

  __device__ void store(const DevicePass<T, operands>& pass, std::int64_t size) const {
#pragma unroll
    for (int k = 0; k < operands; ++k) {
      if ((pass.writes >> k & 1) == 0) continue;
#pragma unroll
      for (int p = 0; p < packs; ++p) {
        const std::int64_t row = row_of(p * width);
        if (whole_ || row + width <= size) {
          Pack<T> pack;
#pragma unroll
          for (int lane = 0; lane < width; ++lane) pack.values[lane] = rows_[k][p * width + lane];
          *reinterpret_cast<Pack<T>*>(pass.vectors[k] + row) = pack;
          continue;
        }
#pragma unroll
        for (int lane = 0; lane < width; ++lane) {
          if (row + lane < size) pass.vectors[k][row + lane] = rows_[k][p * width + lane];
        }
      }
    }
  }

 private:
  static constexpr int width = Pack<T>::size;
  static constexpr int values = packs * width;

  /// Calls `action` with a place that is known when the kernel is compiled.
  template <int count, class Action>
  static __device__ void with_place(int place, const Action& action) {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      if (k == place) action(k);
    }
  }

  __device__ std::int64_t row_of(int value) const {
    return first_row_ + value / width * stride * width + value % width;
  }

  __device__ Pack<T> load_pack(const T* vector, int p, std::int64_t size) const {
    const std::int64_t row = row_of(p * width);
    if (whole_ || row + width <= size) return *reinterpret_cast<const Pack<T>*>(vector + row);
    Pack<T> pack{};
#pragma unroll
    for (int lane = 0; lane < width; ++lane) {
      if (row + lane < size) pack.values[lane] = vector[row + lane];
    }
    return pack;
  }

  __device__ void add_term(const ValuedTerm<T> term, T (&totals)[values]) const {
    T scaled[values];
#pragma unroll
    for (int j = 0; j < values; ++j) scaled[j] = term.coefficient;
    if (term.times >= 0) {
      with_place<operands>(term.times, [&](int k) {
#pragma unroll
        for (int j = 0; j < values; ++j) scaled[j] = term.coefficient * rows_[k][j];
      });
    }
    with_place<operands>(term.operand, [&](int k) {
#pragma unroll
      for (int j = 0; j < values; ++j) totals[j] += scaled[j] * rows_[k][j];
    });
  }

  __device__ double dot_product(int a, int b, std::int64_t size) const {
    T left[values] = {};
    with_place<operands>(a, [&](int k) {
#pragma unroll
      for (int j = 0; j < values; ++j) left[j] = rows_[k][j];
    });
    double product = 0;
    with_place<operands>(b, [&](int k) {
#pragma unroll
      for (int j = 0; j < values; ++j) {
        // A coefficient that is no number makes one of what is not there, too.
        const bool there = whole_ || row_of(j) < size;
        product += there ? static_cast<double>(left[j]) * static_cast<double>(rows_[k][j]) : 0;
      }
    });
    return product;
  }

  T rows_[operands][values];
  std::int64_t first_row_ = 0;
  bool whole_ = false;  ///< all rows are there
};

}  // namespace sparsecast::cuda
