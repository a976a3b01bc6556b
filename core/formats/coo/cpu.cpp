#include <algorithm>

#include "core/cpu/cpu_matrix_of_rows.hpp"
#include "core/formats/coo/cpu/coo_rows.hpp"

/// @file
/// Products of COO on the CPU: a thread finds where its rows begin.

namespace sparsecast {
namespace {

template <class T>
class CpuCoo final : public CpuMatrixOfRows<T> {
 public:
  CpuCoo(const CsrView<T>& matrix, const Segment& segment)
      : CpuMatrixOfRows<T>(segment), matrix_(convert_to_coo(matrix, segment)) {}

  void multiply(std::int64_t begin, std::int64_t end, const T* input, T* output) const override {
    std::fill(output + begin, output + end, T{0});
    add_rows(matrix_, begin, end, input, output);
  }

  SegmentShape shape() const override {
    return coo_shape(static_cast<double>(matrix_.rows), static_cast<double>(matrix_.columns),
                     static_cast<double>(matrix_.values.size()));
  }

  BytesByKind bytes_read() const override { return bytes_of(matrix_); }
  Buffer<std::int64_t> stored_before() const override { return bytes_before_rows(matrix_); }

 private:
  const CooMatrix<T> matrix_;
};

template <class T>
const CpuFormat<T> entry{[](const CsrView<T>& matrix, const Segment& segment, const Layout&, bool) {
                           // Where rows begin is needed to convert.
                           return segment.nonzeros(matrix.row_offsets) *
                                      static_cast<std::int64_t>(sizeof(T) + coo_index_bytes) +
                                  (segment.rows() + 1) * std::int64_t{sizeof(std::int64_t)};
                         },
                         [](const CsrView<T>& matrix, const Segment& segment,
                            const Layout&) -> std::unique_ptr<CpuMatrix<T>> {
                           return std::make_unique<CpuCoo<T>>(matrix, segment);
                         }};

}  // namespace

template <class T>
const CpuFormat<T>& coo_cpu_format() {
  return entry<T>;
}
template const CpuFormat<float>& coo_cpu_format();
template const CpuFormat<double>& coo_cpu_format();

}  // namespace sparsecast
