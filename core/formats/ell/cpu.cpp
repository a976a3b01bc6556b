#include <algorithm>

#include "core/cpu/cpu_matrix.hpp"
#include "core/cpu/product_dot.hpp"
#include "core/formats/ell/cpu/ell_rows.hpp"

/// @file
/// Products of ELL on the CPU.

namespace sparsecast {
namespace {

template <class T>
EllMatrix<T> convert(const CsrView<T>& matrix, const Segment& segment) {
  const std::int64_t longest = longest_row(matrix.pattern(), segment);
  require_ell_fits(segment.rows(), segment.nonzeros(matrix.row_offsets), longest);
  return convert_to_ell(matrix, segment, longest);
}

template <class T>
class CpuEll final : public CpuMatrix<T> {
 public:
  CpuEll(const CsrView<T>& matrix, const Segment& segment)
      : first_row_(segment.begin_row), matrix_(convert(matrix, segment)) {}

  void multiply(std::int64_t begin, std::int64_t end, const T* input, T* output) const override {
    multiply_rows(matrix_, begin, end, input, output);
  }

  PartialSums multiply_dot(std::int64_t begin, std::int64_t end, const T* input,
                           T* output) const override {
    multiply(begin, end, input, output);
    PartialSums sums;
    add_dot(output, input + first_row_, begin, end, sums.values[0]);
    return sums;
  }

  SegmentShape shape() const override {
    return ell_shape(static_cast<double>(matrix_.rows), static_cast<double>(matrix_.columns),
                     static_cast<double>(matrix_.width));
  }

  std::int64_t bytes() const override { return static_cast<std::int64_t>(bytes_read().total()); }

  BytesByKind bytes_read() const override { return bytes_of(matrix_); }
  int rows_together() const override { return 1; }

  Buffer<std::int64_t> stored_before() const override {
    Buffer<std::int64_t> bytes(static_cast<std::size_t>(matrix_.rows) + 1);
    for (std::int64_t row = 0; row <= matrix_.rows; ++row) {
      bytes[row] = row * bytes_of_row(matrix_);
    }
    return bytes;
  }

 private:
  const std::int64_t first_row_;
  const EllMatrix<T> matrix_;
};

template <class T>
std::int64_t bytes_bound(const CsrView<T>& matrix, const Segment& segment, const Layout&,
                         bool counted) {
  const std::int64_t rows = segment.rows();
  // More is refused when it is converted.
  std::int64_t width = most_ell_width(rows, segment.nonzeros(matrix.row_offsets));
  if (counted) width = std::min(width, longest_row(matrix.pattern(), segment));
  return width * ell_stride(rows) * static_cast<std::int64_t>(sizeof(T) + 4);
}

template <class T>
const CpuFormat<T> entry{bytes_bound<T>,
                         [](const CsrView<T>& matrix, const Segment& segment,
                            const Layout&) -> std::unique_ptr<CpuMatrix<T>> {
                           return std::make_unique<CpuEll<T>>(matrix, segment);
                         }};

}  // namespace

template <class T>
const CpuFormat<T>& ell_cpu_format() {
  return entry<T>;
}
template const CpuFormat<float>& ell_cpu_format();
template const CpuFormat<double>& ell_cpu_format();

}  // namespace sparsecast
