#include "core/cpu/cpu_matrix.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/bcsr/cpu/bcsr_kernels.hpp"

/// @file
/// Products of CSR and BCSR on the CPU, by the kernels that are compiled for each instruction set.

namespace sparsecast {
namespace {

template <class T>
class CpuBcsr final : public CpuMatrix<T> {
 public:
  CpuBcsr(const CsrView<T>& matrix, const Segment& segment, const Layout& layout)
      : matrix_(convert_to_bcsr(matrix, segment, layout)),
        pointers_(pointers(matrix_)),
        first_row_(segment.begin_row) {}

  void multiply(std::int64_t begin, std::int64_t end, const T* input, T* output) const override {
    if (begin >= end) return;  // at the end of rows that are no multiple of N
    const std::int64_t n = matrix_.block_size;
    kernels_.multiply(pointers_, begin / n, (end + n - 1) / n, input, output);
  }

  PartialSums multiply_dot(std::int64_t begin, std::int64_t end, const T* input,
                           T* output) const override {
    if (begin >= end) return {};
    const std::int64_t n = matrix_.block_size;
    return kernels_.multiply_dot(pointers_, begin / n, (end + n - 1) / n, first_row_, input,
                                 output);
  }

  SegmentShape shape() const override {
    SegmentShape shape;
    shape.unknowns = static_cast<double>(matrix_.rows);
    shape.total_unknowns = static_cast<double>(matrix_.columns);
    shape.elements = static_cast<double>(matrix_.values.size());
    shape.blocks = static_cast<double>(matrix_.blocks());
    shape.block_rows = static_cast<double>(matrix_.block_rows);
    return shape;
  }

  std::int64_t bytes() const override { return matrix_.bytes(); }

  BytesByKind bytes_read() const override {
    BytesByKind bytes;
    bytes.values = static_cast<double>(matrix_.values.size() * sizeof(T));
    bytes.indices = static_cast<double>(matrix_.block_columns.size() * sizeof(std::int32_t));
    bytes.row_pointers = static_cast<double>(matrix_.block_rows) * sizeof(std::int64_t);
    return bytes;
  }

  int rows_together() const override { return matrix_.block_size; }

  Buffer<std::int64_t> stored_before() const override {
    const std::int64_t n = matrix_.block_size;
    Buffer<std::int64_t> bytes(matrix_.block_offsets.size());
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      bytes[k] = matrix_.block_offsets[k] * (n * n * static_cast<std::int64_t>(sizeof(T)) + 4);
    }
    return bytes;
  }

 private:
  const BcsrMatrix<T> matrix_;
  const BcsrPointers<T> pointers_;
  const std::int64_t first_row_;
  const BcsrKernels<T>& kernels_ = bcsr_kernels<T>();
};

template <class T>
std::int64_t bytes_bound(const CsrView<T>& matrix, const Segment& segment, const Layout& layout,
                         bool counted) {
  const std::int64_t n = layout.block_size;
  // A block holds at least one nonzero.
  const std::int64_t blocks =
      counted && n > 1 ? count_blocks(matrix.pattern(), segment, layout.block_size).back()
                       : segment.nonzeros(matrix.row_offsets);
  return blocks * (n * n * static_cast<std::int64_t>(sizeof(T)) + 4) +
         (segment.rows() / n + 1) * 12;
}

template <class T>
const CpuFormat<T> entry{bytes_bound<T>,
                         [](const CsrView<T>& matrix, const Segment& segment,
                            const Layout& layout) -> std::unique_ptr<CpuMatrix<T>> {
                           return std::make_unique<CpuBcsr<T>>(matrix, segment, layout);
                         }};

}  // namespace

template <class T>
const CpuFormat<T>& csr_cpu_format() {
  return entry<T>;
}
template <class T>
const CpuFormat<T>& bcsr_cpu_format() {
  return entry<T>;
}

template const CpuFormat<float>& csr_cpu_format();
template const CpuFormat<double>& csr_cpu_format();
template const CpuFormat<float>& bcsr_cpu_format();
template const CpuFormat<double>& bcsr_cpu_format();

}  // namespace sparsecast
