#include <algorithm>
#include <cstring>
#include <memory>

#include "core/cpu/cpu_matrix.hpp"
#include "core/cpu/instruction_sets.hpp"
#include "core/formats/sell/sell.hpp"

/// @file
/// Products of SELL on the CPU: a slice at a time, whose 32 entries of a group are multiplied side
/// by side.

namespace sparsecast {
namespace {

#if defined(__GNUC__)
#define SPARSECAST_INLINE inline __attribute__((always_inline))
#else
#define SPARSECAST_INLINE inline
#endif

/// Entries of a group that are multiplied side by side.
constexpr int lanes = 32;

/// A group's first entries of a slice and what its columns count from, `stride` entries apart.
template <class T>
struct Groups {
  const T* values = nullptr;
  const std::uint8_t* columns = nullptr;
  const std::int32_t* bases = nullptr;
  std::int64_t count = 0;
  std::int64_t stride = 0;
};

/// sums += values * input of groups with columns of a type; `input` begins with the value of the
/// segment's first row.
template <class Column, class T>
SPARSECAST_INLINE void add_groups(const Groups<T>& groups, const T* __restrict input,
                                  T* __restrict sums) {
  const T* values = groups.values;
  const std::uint8_t* columns = groups.columns;
  for (std::int64_t group = 0; group < groups.count; ++group) {
    const T* const from = input + groups.bases[group];
    for (int l = 0; l < lanes; ++l) {
      Column column;
      std::memcpy(&column, columns + l * sizeof(Column), sizeof(Column));
      sums[l] += values[l] * from[static_cast<std::int32_t>(column)];
    }
    values += groups.stride;
    columns += groups.stride * static_cast<std::int64_t>(sizeof(Column));
  }
}

/// The same of groups on diagonals, whose first entry is the `first`.
template <class T>
SPARSECAST_INLINE void add_diagonals(const Groups<T>& groups, std::int64_t first,
                                     const T* __restrict input, T* __restrict sums) {
  const T* values = groups.values;
  for (std::int64_t group = 0; group < groups.count; ++group) {
    const T* const from = input + groups.bases[group] + first;
    for (int l = 0; l < lanes; ++l) sums[l] += values[l] * from[l];
    values += groups.stride;
  }
}

/// The products of the rows of entries [first, first + 32) of a slice's groups: of 32 rows, or
/// fewer, in the first places of `sums`.
template <class T>
SPARSECAST_INLINE void multiply_lanes(const SellMatrix<T>& a, std::int64_t slice,
                                      std::int64_t first, const T* input, T* __restrict sums) {
  for (int l = 0; l < lanes; ++l) sums[l] = 0;
  const std::int64_t first_group = a.group_begins[slice];
  Groups<T> groups;
  groups.count = a.group_begins[slice + 1] - first_group;
  if (groups.count == 0) return;
  groups.stride = a.group();
  const std::int64_t first_unit = a.column_begins[slice];
  const std::int64_t bytes = (a.column_begins[slice + 1] - first_unit) / groups.count;
  groups.values = a.values.data() + first_group * groups.stride + first;
  groups.columns = a.column_bytes.data() + first_unit * groups.stride + first * bytes;
  groups.bases = a.bases.data() + first_group;
  if (bytes == 0) {
    add_diagonals(groups, first, input, sums);
  } else if (bytes == 1) {
    add_groups<std::uint8_t>(groups, input, sums);
  } else if (bytes == 2) {
    add_groups<std::uint16_t>(groups, input, sums);
  } else {
    add_groups<std::uint32_t>(groups, input, sums);
  }
  for (int l = a.slice_height; l < lanes; ++l) sums[l % a.slice_height] += sums[l];
}

/// output = A * input of slices [begin, end); returns the part of the sum output * input that is
/// theirs if `dot`.
template <class T>
SPARSECAST_INLINE double multiply_slices(const SellMatrix<T>& a, std::int64_t begin,
                                         std::int64_t end, const T* input, T* output, bool dot) {
  double product = 0;
  alignas(64) T sums[lanes];
  const std::int64_t rows_at_once = std::min(a.slice_height, lanes);
  const std::int64_t last = std::min(a.rows, end * a.slice_height);
  for (std::int64_t first = begin * a.slice_height; first < last; first += rows_at_once) {
    multiply_lanes(a, first / a.slice_height, first % a.slice_height, input, sums);
    const auto rows = static_cast<int>(std::min(rows_at_once, last - first));
    for (int i = 0; i < rows; ++i) {
      const std::int64_t row = a.row_index.empty() ? first + i : a.row_index[first + i];
      output[row] = sums[i];
      if (dot) product += static_cast<double>(sums[i]) * static_cast<double>(input[row]);
    }
  }
  return product;
}

template <class T>
using Multiply = double (*)(const SellMatrix<T>& a, std::int64_t begin, std::int64_t end,
                            const T* input, T* output, bool dot);

template <class T>
double slices_baseline(const SellMatrix<T>& a, std::int64_t begin, std::int64_t end, const T* input,
                       T* output, bool dot) {
  return multiply_slices(a, begin, end, input, output, dot);
}

#if defined(__x86_64__) && defined(__GNUC__)
template <class T>
__attribute__((target("avx2,fma"))) double slices_avx2(const SellMatrix<T>& a, std::int64_t begin,
                                                       std::int64_t end, const T* input, T* output,
                                                       bool dot) {
  return multiply_slices(a, begin, end, input, output, dot);
}

template <class T>
__attribute__((
    target("avx2,fma,avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512"))) double
slices_avx512(const SellMatrix<T>& a, std::int64_t begin, std::int64_t end, const T* input,
              T* output, bool dot) {
  return multiply_slices(a, begin, end, input, output, dot);
}
#endif

/// The fastest that this processor can run.
template <class T>
Multiply<T> best_slices() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (instruction_sets().back() == "avx512") return slices_avx512<T>;
  if (instruction_sets().back() == "avx2") return slices_avx2<T>;
#endif
  return slices_baseline<T>;
}

template <class T>
class CpuSell final : public CpuMatrix<T> {
 public:
  CpuSell(const CsrView<T>& matrix, const Segment& segment, const Layout& layout)
      : layout_(layout), matrix_(convert_to_sell(matrix, segment, layout)) {}

  void multiply(std::int64_t begin, std::int64_t end, const T* input, T* output) const override {
    run(begin, end, input, output, false);
  }

  PartialSums multiply_dot(std::int64_t begin, std::int64_t end, const T* input,
                           T* output) const override {
    PartialSums sums;
    sums.values[0] = run(begin, end, input, output, true);
    return sums;
  }

  SegmentShape shape() const override {
    return sell_shape(static_cast<double>(matrix_.rows), static_cast<double>(matrix_.columns),
                      {matrix_.groups(), std::int64_t{matrix_.column_begins.back()}}, layout_);
  }

  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(
        matrix_.values.size() * sizeof(T) + matrix_.column_bytes.size() +
        (matrix_.bases.size() + matrix_.row_index.size()) * sizeof(std::int32_t) +
        (matrix_.group_begins.size() + matrix_.column_begins.size()) * sizeof(std::uint32_t));
  }

  BytesByKind bytes_read() const override {
    const SegmentShape stored = shape();
    BytesByKind bytes;
    bytes.values = stored.elements * sizeof(T);
    bytes.indices = stored.elements * stored.index_bytes;
    bytes.row_pointers = stored.block_rows * stored.offset_bytes;
    return bytes;
  }

  int rows_together() const override { return matrix_.slice_height; }

  Buffer<std::int64_t> stored_before() const override {
    Buffer<std::int64_t> bytes(static_cast<std::size_t>(matrix_.slices()) + 1);
    for (std::int64_t slice = 0; slice <= matrix_.slices(); ++slice) {
      bytes[slice] = (std::int64_t{matrix_.group_begins[slice]} * std::int64_t{sizeof(T)} +
                      matrix_.column_begins[slice]) *
                     matrix_.group();
    }
    return bytes;
  }

 private:
  double run(std::int64_t begin, std::int64_t end, const T* input, T* output, bool dot) const {
    if (begin >= end) return 0;  // at the end of the rows, which need not be that of a slice
    const std::int64_t height = matrix_.slice_height;
    return multiply_(matrix_, begin / height, (end + height - 1) / height,
                     input + matrix_.first_row, output, dot);
  }

  const Layout layout_;
  const SellMatrix<T> matrix_;
  const Multiply<T> multiply_ = best_slices<T>();
};

/// Uncounted: as much as is not refused, columns in 4 bytes.
template <class T>
std::int64_t bytes_bound(const CsrView<T>& matrix, const Segment& segment, const Layout& layout,
                         bool counted) {
  const std::int64_t rows = segment.rows();
  const std::int64_t slices = rows / layout.slice_height + 1;
  const std::int64_t of_rows = (slices + 1) * 8 + rows * 4;
  const std::int64_t group = sell_group(layout.slice_height);
  const SellSize size = counted ? sell_size(matrix.pattern(), segment, layout)
                                : most_sell_size(segment.nonzeros(matrix.row_offsets), layout);
  return size.groups * (group * std::int64_t{sizeof(T)} + 4) + size.column_units * group + of_rows;
}

template <class T>
const CpuFormat<T> entry{bytes_bound<T>,
                         [](const CsrView<T>& matrix, const Segment& segment,
                            const Layout& layout) -> std::unique_ptr<CpuMatrix<T>> {
                           return std::make_unique<CpuSell<T>>(matrix, segment, layout);
                         }};

}  // namespace

template <class T>
const CpuFormat<T>& sell_cpu_format() {
  return entry<T>;
}
template const CpuFormat<float>& sell_cpu_format();
template const CpuFormat<double>& sell_cpu_format();

}  // namespace sparsecast
