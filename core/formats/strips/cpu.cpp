#include "core/cpu/cpu_matrix_of_rows.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/strips/strips.hpp"

/// @file
/// Products of strips on the CPU, a block row at a time.

namespace sparsecast {
namespace {

/// output = A * input for block rows [begin, end).
template <StripContent content, class T>
void multiply_block_rows(const StripMatrix<T>& a, std::int64_t begin, std::int64_t end,
                         const T* input, T* output) {
  const std::int64_t strip_size = a.blocks() * strip_values;
  for (std::int64_t block_row = begin; block_row < end; ++block_row) {
    T sums[strip_block_size] = {};
    for (std::int64_t block = a.begin(block_row); block < a.end(block_row); ++block) {
      const T* values = a.values.data() + block * strip_values;
      // Beyond the last column there is padding.
      const T* x = input + std::int64_t{a.block_columns[block]} * strip_block_size;
      for (int i = 0; i < strip_block_size; ++i) {
        for (int j = 0; j < strip_block_size; ++j) {
          const StripPlace place = strip_place(content, i, j);
          sums[i] += values[place.strip * strip_size + place.value] * x[j];
        }
      }
    }
    const std::int64_t first = block_row * strip_block_size;
    for (int i = 0; i < strip_block_size && first + i < a.rows; ++i) output[first + i] = sums[i];
  }
}

template <class T>
class CpuStrips final : public CpuMatrixOfRows<T> {
 public:
  CpuStrips(const CsrView<T>& matrix, const Segment& segment, StripContent content)
      : CpuMatrixOfRows<T>(segment), matrix_(convert_to_strips(matrix, segment, content)) {}

  void multiply(std::int64_t begin, std::int64_t end, const T* input, T* output) const override {
    if (begin >= end) return;  // at the end of rows that are no multiple of 4
    const std::int64_t first = begin / strip_block_size;
    const std::int64_t last = (end + strip_block_size - 1) / strip_block_size;
    if (matrix_.content == StripContent::rows) {
      multiply_block_rows<StripContent::rows>(matrix_, first, last, input, output);
    } else {
      multiply_block_rows<StripContent::quads>(matrix_, first, last, input, output);
    }
  }

  SegmentShape shape() const override {
    return strip_shape(static_cast<double>(matrix_.rows), static_cast<double>(matrix_.columns),
                       static_cast<double>(matrix_.blocks()), matrix_.content);
  }
  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(matrix_.values.size() * sizeof(T) +
                                     matrix_.block_columns.size() * sizeof(std::int32_t) +
                                     matrix_.offsets.size() * sizeof(std::uint32_t));
  }
  BytesByKind bytes_read() const override {
    BytesByKind bytes;
    bytes.values = static_cast<double>(matrix_.values.size() * sizeof(T));
    bytes.indices = static_cast<double>(matrix_.block_columns.size() * sizeof(std::int32_t));
    bytes.row_pointers = static_cast<double>(matrix_.block_rows) * shape().offset_bytes;
    return bytes;
  }
  int rows_together() const override { return strip_block_size; }
  Buffer<std::int64_t> stored_before() const override {
    constexpr std::int64_t block_bytes =
        strip_count * strip_values * sizeof(T) + sizeof(std::int32_t);
    Buffer<std::int64_t> bytes(static_cast<std::size_t>(matrix_.block_rows) + 1);
    bytes[0] = 0;
    for (std::int64_t k = 0; k < matrix_.block_rows; ++k) {
      bytes[k + 1] = matrix_.end(k) * block_bytes;
    }
    return bytes;
  }

 private:
  const StripMatrix<T> matrix_;
};

template <class T>
std::int64_t bytes_bound(const CsrView<T>& matrix, const Segment& segment, const Layout& layout,
                         bool counted) {
  // A block holds at least one nonzero.
  const std::int64_t blocks = counted
                                  ? count_blocks(matrix.pattern(), segment, strip_block_size).back()
                                  : segment.nonzeros(matrix.row_offsets);
  const std::int64_t block_rows = segment.rows() / strip_block_size + 1;
  constexpr std::int64_t block_bytes =
      strip_count * strip_values * sizeof(T) + sizeof(std::int32_t);
  return blocks * block_bytes +
         strip_offsets(strip_content(layout), block_rows) * std::int64_t{sizeof(std::uint32_t)};
}

template <class T>
const CpuFormat<T> entry{bytes_bound<T>,
                         [](const CsrView<T>& matrix, const Segment& segment,
                            const Layout& layout) -> std::unique_ptr<CpuMatrix<T>> {
                           return std::make_unique<CpuStrips<T>>(matrix, segment,
                                                                 strip_content(layout));
                         }};

}  // namespace

template <class T>
const CpuFormat<T>& bcsr4_quads_cpu_format() {
  return entry<T>;
}
template <class T>
const CpuFormat<T>& bcsr4_strips_cpu_format() {
  return entry<T>;
}
template const CpuFormat<float>& bcsr4_quads_cpu_format();
template const CpuFormat<double>& bcsr4_quads_cpu_format();
template const CpuFormat<float>& bcsr4_strips_cpu_format();
template const CpuFormat<double>& bcsr4_strips_cpu_format();

}  // namespace sparsecast
