#include <algorithm>

#include "core/cpu/cpu_matrix_of_rows.hpp"
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
class CpuEll final : public CpuMatrixOfRows<T> {
 public:
  CpuEll(const CsrView<T>& matrix, const Segment& segment)
      : CpuMatrixOfRows<T>(segment), matrix_(convert(matrix, segment)) {}

  void multiply(std::int64_t begin, std::int64_t end, const T* input, T* output) const override {
    multiply_rows(matrix_, begin, end, input, output);
  }

  SegmentShape shape() const override {
    return ell_shape(static_cast<double>(matrix_.rows), static_cast<double>(matrix_.columns),
                     static_cast<double>(matrix_.width));
  }

  BytesByKind bytes_read() const override { return bytes_of(matrix_); }
  Buffer<std::int64_t> stored_before() const override {
    Buffer<std::int64_t> bytes(static_cast<std::size_t>(matrix_.rows) + 1);
    for (std::int64_t row = 0; row <= matrix_.rows; ++row) {
      bytes[row] = row * bytes_of_row(matrix_);
    }
    return bytes;
  }

 private:
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
