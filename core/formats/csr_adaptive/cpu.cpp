#include <algorithm>
#include <cstring>
#include <memory>

#include "core/cpu/cpu_matrix_of_rows.hpp"
#include "core/formats/csr_adaptive/csr_adaptive.hpp"

/// @file
/// Products of CSR-Adaptive on the CPU: a row block at a time, for its columns.

namespace sparsecast {
namespace {

/// The product of entries [begin, end) of a row block, counted from its first loaded one.
template <class Column, class T>
T multiply_entries(const T* values, const std::uint8_t* columns, const T* input, int begin,
                   int end) {
  T sum = 0;
  for (int k = begin; k < end; ++k) {
    Column column;
    std::memcpy(&column, columns + k * sizeof(Column), sizeof(Column));
    sum += values[k] * input[static_cast<std::int32_t>(column)];
  }
  return sum;
}

template <class T>
class CpuAdaptive final : public CpuMatrixOfRows<T> {
 public:
  CpuAdaptive(const CsrView<T>& matrix, const Segment& segment)
      : CpuMatrixOfRows<T>(segment), matrix_(convert_to_adaptive(matrix, segment)) {}

  void multiply(std::int64_t begin, std::int64_t end, const T* input, T* output) const override {
    if (begin >= end) return;
    // The first piece of a row in pieces.
    auto block = std::ranges::lower_bound(matrix_.blocks, begin + 1, {}, [](const RowBlock& b) {
      return std::int64_t{b.first_row} + b.rows;
    });
    for (; block != matrix_.blocks.end() && block->first_row < end; ++block) {
      if (block->column_bytes == 2) {
        multiply_block<std::uint16_t>(*block, begin, end, input, output);
      } else {
        multiply_block<std::uint32_t>(*block, begin, end, input, output);
      }
    }
  }

  SegmentShape shape() const override {
    const AdaptiveSize size{
        std::ssize(matrix_.blocks),
        static_cast<std::int64_t>(matrix_.column_bytes.size()) / column_unit_bytes};
    return adaptive_shape(static_cast<double>(matrix_.rows), static_cast<double>(matrix_.columns),
                          static_cast<double>(matrix_.values.size()), size);
  }

  BytesByKind bytes_read() const override {
    BytesByKind bytes;
    bytes.values = static_cast<double>(matrix_.values.size() * sizeof(T));
    bytes.indices = static_cast<double>(matrix_.column_bytes.size());
    bytes.row_pointers = static_cast<double>(matrix_.row_ends.size() * sizeof(std::uint16_t) +
                                             matrix_.blocks.size() * sizeof(RowBlock));
    return bytes;
  }

  Buffer<std::int64_t> stored_before() const override {
    Buffer<std::int64_t> bytes(static_cast<std::size_t>(matrix_.rows) + 1);
    bytes[0] = 0;
    for (const RowBlock& block : matrix_.blocks) {
      const std::int64_t bytes_each = std::int64_t{sizeof(T)} + block.column_bytes;
      const std::int64_t before = bytes[block.first_row];
      if (block.is_piece()) {
        const std::int64_t so_far = block.pieces_before == 0 ? before : bytes[block.first_row + 1];
        bytes[block.first_row + 1] = so_far + block.entries * bytes_each;
        continue;
      }
      for (std::int64_t row = block.first_row; row < block.first_row + block.rows; ++row) {
        bytes[row + 1] = before + (matrix_.row_ends[row] - block.lead()) * bytes_each;
      }
    }
    return bytes;
  }

 private:
  /// Its rows among [begin, end).
  template <class Column>
  void multiply_block(const RowBlock& block, std::int64_t begin, std::int64_t end, const T* input,
                      T* output) const {
    const T* const values = matrix_.values.data() + (block.first_entry - block.lead());
    const std::uint8_t* const columns =
        matrix_.column_bytes.data() + std::int64_t{block.first_column_unit} * column_unit_bytes;
    const T* const from = input + matrix_.first_row + block.base;
    if (block.is_piece()) {
      const T sum = multiply_entries<Column>(values, columns, from, block.lead(),
                                             block.lead() + block.entries);
      T& to = output[block.first_row];
      to = block.pieces_before == 0 ? sum : to + sum;
      return;
    }
    const std::int64_t first = std::max<std::int64_t>(begin, block.first_row);
    const std::int64_t last = std::min<std::int64_t>(end, block.first_row + block.rows);
    int from_entry = first == block.first_row ? block.lead() : matrix_.row_ends[first - 1];
    for (std::int64_t row = first; row < last; ++row) {
      const int to_entry = matrix_.row_ends[row];
      output[row] = multiply_entries<Column>(values, columns, from, from_entry, to_entry);
      from_entry = to_entry;
    }
  }

  const AdaptiveMatrix<T> matrix_;
};

template <class T>
std::int64_t bytes_bound(const CsrView<T>& matrix, const Segment& segment, const Layout&,
                         bool counted) {
  const std::int64_t nonzeros = segment.nonzeros(matrix.row_offsets);
  const AdaptiveSize size = counted ? adaptive_size(matrix.pattern(), segment)
                                    : most_adaptive_size(segment.rows(), nonzeros);
  return nonzeros * std::int64_t{sizeof(T)} + segment.rows() * std::int64_t{sizeof(std::uint16_t)} +
         size.blocks * std::int64_t{sizeof(RowBlock)} + size.column_units * column_unit_bytes;
}

template <class T>
const CpuFormat<T> entry{bytes_bound<T>,
                         [](const CsrView<T>& matrix, const Segment& segment,
                            const Layout&) -> std::unique_ptr<CpuMatrix<T>> {
                           return std::make_unique<CpuAdaptive<T>>(matrix, segment);
                         }};

}  // namespace

template <class T>
const CpuFormat<T>& csr_adaptive_cpu_format() {
  return entry<T>;
}
template const CpuFormat<float>& csr_adaptive_cpu_format();
template const CpuFormat<double>& csr_adaptive_cpu_format();

}  // namespace sparsecast
