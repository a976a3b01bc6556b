#include <algorithm>
#include <string_view>

#include "core/cpu/cpu_matrix.hpp"
#include "core/cpu/instruction_sets.hpp"
#include "core/cpu/product_dot.hpp"
#include "core/formats/dia/dia.hpp"

/// @file
/// Products of DIA on the CPU: a few thousand rows at a time, so that their results stay in the
/// nearest cache while diagonal after diagonal is added.

namespace sparsecast {
namespace {

constexpr std::int64_t rows_at_a_time = 1024;
constexpr std::int64_t diagonals_at_once = 4;

#if defined(__GNUC__)
#define SPARSECAST_INLINE inline __attribute__((always_inline))
#else
#define SPARSECAST_INLINE inline
#endif

/// output += values * input of one diagonal, for rows [begin, end), where there are columns.
template <class T>
SPARSECAST_INLINE void add_diagonal(const T* __restrict values, const T* __restrict input,
                                    T* __restrict output, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) output[i] += values[i] * input[i];
}

/// The same of four diagonals, which are added to a result before it is stored.
template <class T>
SPARSECAST_INLINE void add_diagonals(const T* const (&values)[diagonals_at_once],
                                     const T* const (&input)[diagonals_at_once],
                                     T* __restrict output, std::int64_t begin, std::int64_t end) {
  const T* __restrict a0 = values[0];
  const T* __restrict a1 = values[1];
  const T* __restrict a2 = values[2];
  const T* __restrict a3 = values[3];
  const T* __restrict x0 = input[0];
  const T* __restrict x1 = input[1];
  const T* __restrict x2 = input[2];
  const T* __restrict x3 = input[3];
  for (std::int64_t i = begin; i < end; ++i) {
    output[i] += a0[i] * x0[i] + a1[i] * x1[i] + a2[i] * x2[i] + a3[i] * x3[i];
  }
}

/// output = A * input for rows [begin, end) of the segment, where `input` begins with the value of
/// the segment's first row.
template <class T>
SPARSECAST_INLINE void multiply_rows(const DiaMatrix<T>& a, std::int64_t begin, std::int64_t end,
                                     const T* input, T* output) {
  for (std::int64_t i = begin; i < end; ++i) output[i] = T{0};
  const std::int64_t least = -a.first_row;              // column of the segment
  const std::int64_t beyond = a.columns - a.first_row;  // likewise
  const std::int64_t diagonals = a.diagonals();
  const auto is_whole = [&](std::int64_t k) {
    return begin + a.offsets[k] >= least && end + a.offsets[k] <= beyond;
  };
  for (std::int64_t k = 0; k < diagonals;) {
    if (k + diagonals_at_once <= diagonals && is_whole(k) && is_whole(k + diagonals_at_once - 1)) {
      const T* values[diagonals_at_once];
      const T* from[diagonals_at_once];
      for (std::int64_t d = 0; d < diagonals_at_once; ++d) {
        values[d] = a.values.data() + (k + d) * a.stride;
        from[d] = input + a.offsets[k + d];
      }
      add_diagonals<T>(values, from, output, begin, end);
      k += diagonals_at_once;
    } else {
      add_diagonal(a.values.data() + k * a.stride, input + a.offsets[k], output,
                   std::max(begin, least - a.offsets[k]), std::min(end, beyond - a.offsets[k]));
      ++k;
    }
  }
}

template <class T>
using Rows = void (*)(const DiaMatrix<T>& a, std::int64_t begin, std::int64_t end, const T* input,
                      T* output);

template <class T>
void rows_baseline(const DiaMatrix<T>& a, std::int64_t begin, std::int64_t end, const T* input,
                   T* output) {
  multiply_rows(a, begin, end, input, output);
}

#if defined(__x86_64__) && defined(__GNUC__)
template <class T>
__attribute__((target("avx2,fma"))) void rows_avx2(const DiaMatrix<T>& a, std::int64_t begin,
                                                   std::int64_t end, const T* input, T* output) {
  multiply_rows(a, begin, end, input, output);
}

template <class T>
__attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512"))) void
rows_avx512(const DiaMatrix<T>& a, std::int64_t begin, std::int64_t end, const T* input,
            T* output) {
  multiply_rows(a, begin, end, input, output);
}
#endif

/// The fastest that this processor can run.
template <class T>
Rows<T> best_rows() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (instruction_sets().back() == "avx512") return rows_avx512<T>;
  if (instruction_sets().back() == "avx2") return rows_avx2<T>;
#endif
  return rows_baseline<T>;
}

template <class T>
class CpuDia final : public CpuMatrix<T> {
 public:
  CpuDia(const CsrView<T>& matrix, const Segment& segment)
      : matrix_(convert_to_dia(matrix, segment)) {}

  void multiply(std::int64_t begin, std::int64_t end, const T* input, T* output) const override {
    for (std::int64_t i = begin; i < end; i += rows_at_a_time) {
      rows_(matrix_, i, std::min(end, i + rows_at_a_time), input + matrix_.first_row, output);
    }
  }

  PartialSums multiply_dot(std::int64_t begin, std::int64_t end, const T* input,
                           T* output) const override {
    PartialSums sums;
    const T* own = input + matrix_.first_row;
    for (std::int64_t i = begin; i < end; i += rows_at_a_time) {
      const std::int64_t last = std::min(end, i + rows_at_a_time);
      rows_(matrix_, i, last, own, output);
      add_dot(output, own, i, last, sums.values[0]);
    }
    return sums;
  }

  SegmentShape shape() const override {
    return dia_shape(static_cast<double>(matrix_.rows), static_cast<double>(matrix_.columns),
                     static_cast<double>(matrix_.diagonals()));
  }

  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(matrix_.values.size() * sizeof(T) +
                                     matrix_.offsets.size() * sizeof(matrix_.offsets[0]));
  }

  BytesByKind bytes_read() const override {
    BytesByKind bytes;
    bytes.values = static_cast<double>(matrix_.values.size() * sizeof(T));
    return bytes;
  }

  int rows_together() const override { return 1; }

  Buffer<std::int64_t> stored_before() const override {
    Buffer<std::int64_t> bytes(static_cast<std::size_t>(matrix_.rows) + 1);
    const std::int64_t of_row = matrix_.diagonals() * static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t row = 0; row <= matrix_.rows; ++row) bytes[row] = row * of_row;
    return bytes;
  }

 private:
  const DiaMatrix<T> matrix_;
  const Rows<T> rows_ = best_rows<T>();
};

template <class T>
std::int64_t bytes_bound(const CsrView<T>& matrix, const Segment& segment, const Layout&,
                         bool counted) {
  const auto value_bytes = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t diagonals =
      counted ? std::ssize(occupied_diagonals(matrix.pattern(), segment))
              : most_diagonals(segment.rows(), segment.nonzeros(matrix.row_offsets));
  return diagonals * dia_stride(segment.rows()) * value_bytes;
}

template <class T>
const CpuFormat<T> entry{bytes_bound<T>,
                         [](const CsrView<T>& matrix, const Segment& segment,
                            const Layout&) -> std::unique_ptr<CpuMatrix<T>> {
                           return std::make_unique<CpuDia<T>>(matrix, segment);
                         }};

}  // namespace

template <class T>
const CpuFormat<T>& dia_cpu_format() {
  return entry<T>;
}
template const CpuFormat<float>& dia_cpu_format();
template const CpuFormat<double>& dia_cpu_format();

}  // namespace sparsecast
