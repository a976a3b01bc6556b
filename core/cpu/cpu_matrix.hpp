#pragma once

#include <cstdint>
#include <memory>

#include "core/base/buffer.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// What the CPU back end needs of a storage format: a segment converted, and its products.

namespace sparsecast {

/// A thread's parts of what a kernel sums over all rows, as many as it does.
struct PartialSums {
  static constexpr int few = most_pass_dots;
  double values[few] = {};
  /// Those behind them, of a kernel that has more; the thread's own, until its next kernel.
  const double* more = nullptr;

  double of(std::size_t sum) const { return sum < few ? values[sum] : more[sum - few]; }
};

/// A segment of a matrix in the memory of a CPU, in some format.
template <class T>
class CpuMatrix {
 public:
  virtual ~CpuMatrix() = default;

  /// output = A * input for stored rows [begin, end) of the segment, multiples of
  /// `rows_together()` but for the segment's last. `input` holds the whole vector and
  /// `input_padding` more finite values, `output` the segment's rows.
  virtual void multiply(std::int64_t begin, std::int64_t end, const T* input, T* output) const = 0;

  /// The same, and the part of sum output * input over the rows that is theirs; of a square matrix.
  virtual PartialSums multiply_dot(std::int64_t begin, std::int64_t end, const T* input,
                                   T* output) const = 0;

  /// What a product reads and what is stored, padding included.
  virtual SegmentShape shape() const = 0;
  /// Of all arrays.
  virtual std::int64_t bytes() const = 0;
  /// Of values, indices and offsets that one product reads.
  virtual BytesByKind bytes_read() const = 0;

  /// Rows that one thread takes together: those of a block.
  virtual int rows_together() const = 0;
  /// Bytes of what is stored before each group of so many rows, and before the end.
  virtual Buffer<std::int64_t> stored_before() const = 0;
};

/// A format on the CPU.
template <class T>
struct CpuFormat {
  /// Bytes of a segment in this layout, at most; `counted`: nearer, in O(nonzeros).
  std::int64_t (*bytes_bound)(const CsrView<T>& matrix, const Segment& segment,
                              const Layout& layout, bool counted) = nullptr;
  /// Converts a segment on all threads. Columns must rise within rows. Throws `Error` where the
  /// format does not fit the matrix.
  std::unique_ptr<CpuMatrix<T>> (*convert)(const CsrView<T>& matrix, const Segment& segment,
                                           const Layout& layout) = nullptr;
  /// The segment in the arrays of a matrix that outlives it, without a copy; nullptr, and none in
  /// most formats, where a layout stores it otherwise.
  std::unique_ptr<CpuMatrix<T>> (*in_place)(const CsrView<T>& matrix, const Segment& segment,
                                            const Layout& layout) = nullptr;
};

/// The format of a layout. Throws like `format_of`, and for a layout that only GPUs have products
/// of.
template <class T>
const CpuFormat<T>& cpu_format(const Layout& layout);

}  // namespace sparsecast
