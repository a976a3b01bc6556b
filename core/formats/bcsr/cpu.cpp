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
      : storage_(convert_to_bcsr(matrix, segment, layout)),
        pointers_(pointers(storage_)),
        first_row_(segment.begin_row) {}

  /// CSR in the caller's arrays, of 64-bit offsets.
  CpuBcsr(const CsrView<T>& matrix, const Segment& segment)
      : pointers_{1,
                  segment.rows(),
                  matrix.columns,
                  matrix.row_offsets.wide().data() + segment.begin_row,
                  matrix.column_indices.data(),
                  matrix.values.data(),
                  nullptr},
        first_row_(segment.begin_row) {}

  void multiply(std::int64_t begin, std::int64_t end, const T* input, T* output) const override {
    if (begin >= end) return;  // at the end of rows that are no multiple of N
    const std::int64_t n = pointers_.block_size;
    kernels_.multiply(pointers_, begin / n, (end + n - 1) / n, input, output);
  }

  PartialSums multiply_dot(std::int64_t begin, std::int64_t end, const T* input,
                           T* output) const override {
    if (begin >= end) return {};
    const std::int64_t n = pointers_.block_size;
    return kernels_.multiply_dot(pointers_, begin / n, (end + n - 1) / n, first_row_, input,
                                 output);
  }

  SegmentShape shape() const override {
    SegmentShape shape;
    shape.unknowns = static_cast<double>(pointers_.rows);
    shape.total_unknowns = static_cast<double>(pointers_.columns);
    shape.elements = static_cast<double>(elements());
    shape.blocks = static_cast<double>(blocks());
    shape.block_rows = static_cast<double>(block_rows());
    return shape;
  }

  std::int64_t bytes() const override {
    const std::int64_t row_numbers = pointers_.row_index != nullptr ? block_rows() : 0;
    return (block_rows() + 1) * 8 + blocks() * 4 +
           elements() * static_cast<std::int64_t>(sizeof(T)) + row_numbers * 4;
  }

  BytesByKind bytes_read() const override {
    BytesByKind bytes;
    bytes.values = static_cast<double>(elements() * static_cast<std::int64_t>(sizeof(T)));
    bytes.indices = static_cast<double>(blocks() * 4);
    bytes.row_pointers = static_cast<double>(block_rows()) * sizeof(std::int64_t);
    return bytes;
  }

  int rows_together() const override { return pointers_.block_size; }

  Buffer<std::int64_t> stored_before() const override {
    const std::int64_t n = pointers_.block_size;
    Buffer<std::int64_t> bytes(static_cast<std::size_t>(block_rows()) + 1);
    for (std::int64_t k = 0; k <= block_rows(); ++k) {
      bytes[k] = blocks_before(k) * (n * n * static_cast<std::int64_t>(sizeof(T)) + 4);
    }
    return bytes;
  }

 private:
  std::int64_t block_rows() const {
    return (pointers_.rows + pointers_.block_size - 1) / pointers_.block_size;
  }
  std::int64_t blocks_before(std::int64_t block_row) const {
    return pointers_.block_offsets[block_row] - pointers_.block_offsets[0];
  }
  std::int64_t blocks() const { return blocks_before(block_rows()); }
  std::int64_t elements() const { return blocks() * pointers_.block_size * pointers_.block_size; }

  const BcsrMatrix<T> storage_;  ///< none of the caller's arrays
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
std::unique_ptr<CpuMatrix<T>> convert(const CsrView<T>& matrix, const Segment& segment,
                                      const Layout& layout) {
  return std::make_unique<CpuBcsr<T>>(matrix, segment, layout);
}

template <class T>
std::unique_ptr<CpuMatrix<T>> in_place(const CsrView<T>& matrix, const Segment& segment,
                                       const Layout& layout) {
  const bool stored_so = layout.block_size == 1 && layout.row_order == RowOrder::natural &&
                         !matrix.row_offsets.wide().empty();
  return stored_so ? std::make_unique<CpuBcsr<T>>(matrix, segment) : nullptr;
}

template <class T>
const CpuFormat<T> entry{bytes_bound<T>, convert<T>, in_place<T>};

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
