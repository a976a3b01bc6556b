#include "core/cpu/cpu_matrix_of_rows.hpp"
#include "core/formats/coo/cpu/coo_rows.hpp"
#include "core/formats/ell/cpu/ell_rows.hpp"
#include "core/formats/hyb/hyb.hpp"

/// @file
/// Products of HYB on the CPU: those of its ELL, to which those of its COO are added.

namespace sparsecast {
namespace {

template <class T>
class CpuHyb final : public CpuMatrixOfRows<T> {
 public:
  CpuHyb(const CsrView<T>& matrix, const Segment& segment, const Layout& layout)
      : CpuMatrixOfRows<T>(segment),
        matrix_(
            convert_to_hyb(matrix, segment, hyb_split(matrix.pattern(), segment, layout).width)) {}

  void multiply(std::int64_t begin, std::int64_t end, const T* input, T* output) const override {
    multiply_rows(matrix_.ell, begin, end, input, output);
    add_rows(matrix_.coo, begin, end, input, output);
  }

  SegmentShape shape() const override {
    return hyb_shape(
        static_cast<double>(matrix_.ell.rows), static_cast<double>(matrix_.ell.columns),
        static_cast<double>(matrix_.ell.width), static_cast<double>(matrix_.coo.values.size()));
  }

  BytesByKind bytes_read() const override {
    BytesByKind bytes = bytes_of(matrix_.ell);
    const BytesByKind rest = bytes_of(matrix_.coo);
    bytes.values += rest.values;
    bytes.indices += rest.indices;
    return bytes;
  }

  Buffer<std::int64_t> stored_before() const override {
    Buffer<std::int64_t> bytes = bytes_before_rows(matrix_.coo);
    for (std::int64_t row = 0; row <= matrix_.ell.rows; ++row) {
      bytes[row] += row * bytes_of_row(matrix_.ell);
    }
    return bytes;
  }

 private:
  const HybMatrix<T> matrix_;
};

template <class T>
const CpuFormat<T> entry{
    [](const CsrView<T>& matrix, const Segment& segment, const Layout& layout, bool) {
      const HybSplit split = hyb_split(matrix.pattern(), segment, layout);
      const std::int64_t rows = segment.rows();
      // Where rows begin is needed to convert.
      return split.width * ell_stride(rows) * static_cast<std::int64_t>(sizeof(T) + 4) +
             split.rest * static_cast<std::int64_t>(sizeof(T) + coo_index_bytes) +
             (rows + 1) * std::int64_t{sizeof(std::int64_t)};
    },
    [](const CsrView<T>& matrix, const Segment& segment,
       const Layout& layout) -> std::unique_ptr<CpuMatrix<T>> {
      return std::make_unique<CpuHyb<T>>(matrix, segment, layout);
    }};

}  // namespace

template <class T>
const CpuFormat<T>& hyb_cpu_format() {
  return entry<T>;
}
template const CpuFormat<float>& hyb_cpu_format();
template const CpuFormat<double>& hyb_cpu_format();

}  // namespace sparsecast
