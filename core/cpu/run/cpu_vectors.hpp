#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/cpu/run/row_range.hpp"
#include "core/matrix/segment.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// Where the vectors of a schedule lie in the memory of a device, one behind the other.
struct CpuVectorLayout {
  std::vector<RowRange> held;  ///< per vector: the rows of the matrix whose values it has
  /// Of these, the rows that this device computes; all of a full vector that no device does.
  std::vector<RowRange> own;
  std::vector<std::int64_t> offsets;  ///< per vector: values before it; and before the end

  std::int64_t values() const { return offsets.back(); }
};

/// Full vectors have `columns` values, the others those of the segment's rows; `square`: a matrix
/// has as many rows. Each is padded for
/// kernels that read over the end, and shifted so that vectors do not all meet in the same sets of
/// the caches.
template <class T>
CpuVectorLayout lay_out_vectors(std::span<const VectorDeclaration> vectors, const Segment& segment,
                                std::int64_t columns, bool square);

/// The vectors of a schedule in the memory of a device. Slots are not checked.
template <class T>
class CpuVectors {
 public:
  /// The values are not set: `clear` does that.
  explicit CpuVectors(CpuVectorLayout layout);

  /// Sets a thread's share of all vectors to 0, and with it decides where their pages lie.
  void clear(int thread, int threads);

  RowRange held(VectorSlot slot) const { return layout_.held[static_cast<std::size_t>(slot)]; }
  /// The first value held.
  T* data(VectorSlot slot) const { return data_[static_cast<std::size_t>(slot)]; }
  /// The value of a row of the matrix that is held.
  T* at_row(VectorSlot slot, std::int64_t row) const {
    return data(slot) + (row - held(slot).begin);
  }

  /// Copies the values that are held from those of the whole vector, and to it the device's own.
  void set(VectorSlot slot, std::span<const T> whole);
  void get(VectorSlot slot, std::span<T> whole) const;
  /// Sets the value of row i to `pattern[i % pattern.size()]`. The pattern is not empty.
  void repeat(VectorSlot slot, std::span<const T> pattern);

  std::int64_t bytes() const;

 private:
  CpuVectorLayout layout_;
  Buffer<T> values_;
  std::vector<T*> data_;  ///< per vector
};

}  // namespace sparsecast
