#pragma once

#include <cstdint>
#include <span>

#include "core/analysis/persistent_cut.hpp"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/persistent/persistent_arguments.cuh"
#include "core/formats/bcsr/bcsr_pattern.hpp"
#include "core/schedule/schedule.hpp"

/// @file
/// The matrix of a persistent kernel (`core/analysis/persistent_cut.hpp`) in the memory of a GPU.

namespace sparsecast::cuda {

template <class T>
class PersistentMatrix {
 public:
  PersistentMatrix() = default;
  /// Uploads to the current device a matrix that was cut so and fits. `values`: those of the
  /// pattern's blocks, each by rows.
  PersistentMatrix(const BlockPatternView& pattern, std::span<const T> values,
                   const PersistentCut& cut);

  int block_size() const { return block_size_; }
  const PersistentShape& shape() const { return shape_; }
  std::int64_t bytes() const;
  /// What a multiplication reads of it: values and columns with what fills rows up; slices and what
  /// says whose rows they are as row pointers.
  BytesByKind bytes_read() const;
  PersistentStorage<T> storage() const;

 private:
  PersistentShape shape_;
  int block_size_ = 1;
  std::int64_t rows_ = 0;
  DeviceArray<PersistentSegment> segments_;
  DeviceArray<PersistentSlice> slices_;
  DeviceArray<PersistentSlot> slots_;
  DeviceArray<PersistentSplit> splits_;
  DeviceArray<std::uint16_t> columns_;
  DeviceArray<T> values_;
  DeviceArray<std::int32_t> halo_columns_;
  DeviceArray<std::uint8_t> exported_;
};

}  // namespace sparsecast::cuda
