#pragma once

#include <cstdint>

#include "core/bcsr.hpp"
#include "core/cuda/device_array.cuh"

/// @file
/// A matrix cut for a kernel that stays on the GPU for all iterations: a segment of neighbouring
/// rows for each of its thread blocks, which keeps as much of the segment as fits in its shared
/// memory, with everything that a multiplication of the segment needs from the input.

namespace sparsecast::cuda {

/// The launch that a matrix is cut for.
struct PersistentShape {
  int blocks = 1;                 ///< all resident at once
  int threads = 256;              ///< of a block, a multiple of 32, at least 64
  int lanes = 1;                  ///< that share a block row, a power of two up to 32
  std::int64_t shared_bytes = 0;  ///< of a block, at most; dynamic
  /// Of the matrix values of a segment that do not fit there, so many bytes are to stay in the L2
  /// cache; what is beyond is read past it.
  std::int64_t cached_bytes = 0;
};

/// What one thread block works on. It holds a *window* of the multiplied vector in shared memory:
/// first its own values, then the *halo*, the block columns of other segments that its rows have
/// entries in. Column indices count from the window's begin and so need 16 bits.
///
/// Block rows are stored by falling length, cut into *slices*: as many as a warp takes at a time.
/// A slice is made of steps of 32 blocks, one a lane, with the values interleaved: of each step
/// first all first values, then all second ones, and so on. Short rows are filled up with zeros.
struct PersistentSegment {
  std::int32_t first_row = 0;   ///< unknown
  std::int32_t rows = 0;        ///< unknowns
  std::int32_t own = 0;         ///< values at the front of the window: the block rows' unknowns
  std::int32_t halo = 0;        ///< block columns
  std::int32_t halo_begin = 0;  ///< in the list of halo columns
  std::int32_t slices = 0;
  std::int32_t resident_slices = 0;  ///< the first slices, whose steps are in shared memory
  std::int32_t resident_steps = 0;
  std::int32_t cached_slices = 0;  ///< the first slices, resident ones among them
  std::int64_t slice_begin = 0;    ///< in the list of slices; one more per segment than slices
  std::int64_t step_begin = 0;     ///< in columns and values, in steps
  /// Where in shared memory things are, in bytes; -1: they are in global memory only.
  std::int32_t u_at = -1;
  std::int32_t z_at = -1;
  std::int32_t c_at = -1;
  std::int32_t d_at = -1;
  std::int32_t halo_at = -1;
  std::int32_t exported_at = -1;
  std::int32_t offsets_at = -1;
  std::int32_t slice_rows_at = -1;
  std::int32_t columns_at = -1;
  std::int32_t values_at = -1;
};

/// What kernels read of a matrix.
template <class T>
struct PersistentStorage {
  const PersistentSegment* segments = nullptr;
  const std::uint32_t* slice_offsets = nullptr;  ///< steps of the segment before the slice
  const std::int32_t* slice_rows = nullptr;      ///< per slice 32 / lanes block rows; -1: none
  const std::uint16_t* columns = nullptr;
  const T* values = nullptr;
  const std::int32_t* halo_columns = nullptr;
  const std::uint8_t* exported = nullptr;  ///< per unknown: whether it is in another's halo
  std::int64_t rows = 0;
  int lanes = 1;
};

template <class T>
class PersistentMatrix {
 public:
  PersistentMatrix() = default;
  /// Cuts and uploads to the current device. Natural row order, N = 1 or 3. Where a window does
  /// not fit in shared memory nothing is uploaded, and `fits` is false.
  PersistentMatrix(const BcsrMatrix<T>& matrix, const PersistentShape& shape);

  bool fits() const { return fits_; }
  /// Bytes of shared memory that the windows need at least.
  std::int64_t window_bytes() const { return window_bytes_; }
  /// Whether the segments' steps are about as many as the blocks in their rows make: neither do
  /// rows of very different lengths fill them with zeros, nor has one segment a row for many.
  bool balanced() const { return balanced_; }
  /// The part of the stored values that stays in shared memory.
  double resident_share() const { return resident_share_; }
  int block_size() const { return block_size_; }
  const PersistentShape& shape() const { return shape_; }
  std::int64_t bytes() const;
  PersistentStorage<T> storage() const;

 private:
  PersistentShape shape_;
  int block_size_ = 1;
  std::int64_t rows_ = 0;
  bool fits_ = false;
  bool balanced_ = false;
  std::int64_t window_bytes_ = 0;
  double resident_share_ = 0;
  DeviceArray<PersistentSegment> segments_;
  DeviceArray<std::uint32_t> slice_offsets_;
  DeviceArray<std::int32_t> slice_rows_;
  DeviceArray<std::uint16_t> columns_;
  DeviceArray<T> values_;
  DeviceArray<std::int32_t> halo_columns_;
  DeviceArray<std::uint8_t> exported_;
};

}  // namespace sparsecast::cuda
