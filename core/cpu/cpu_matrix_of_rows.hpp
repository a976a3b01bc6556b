#pragma once

#include <cstdint>

#include "core/cpu/cpu_matrix.hpp"
#include "core/cpu/product_dot.hpp"
#include "core/matrix/segment.hpp"

namespace sparsecast {

/// A segment whose rows are stored in their order, one by one: what follows from its products
/// alone.
template <class T>
class CpuMatrixOfRows : public CpuMatrix<T> {
 public:
  explicit CpuMatrixOfRows(const Segment& segment) : first_row_(segment.begin_row) {}

  PartialSums multiply_dot(std::int64_t begin, std::int64_t end, const T* input,
                           T* output) const override {
    this->multiply(begin, end, input, output);
    PartialSums sums;
    add_dot(output, input + first_row_, begin, end, sums.values[0]);
    return sums;
  }
  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(this->bytes_read().total());
  }
  int rows_together() const override { return 1; }

 private:
  const std::int64_t first_row_;
};

}  // namespace sparsecast
