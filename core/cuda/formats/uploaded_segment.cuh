#pragma once

#include "core/cuda/formats/device_csr.cuh"
#include "core/cuda/formats/device_matrix.cuh"

namespace sparsecast::cuda {

/// The rows of a segment in device memory, as they are in the matrix: its columns are those of the
/// whole one.
template <class T>
struct UploadedSegment {
  DeviceCsr<T> matrix;
  double seconds = 0;  ///< that the copy took, allocations included

  /// Bytes on the device.
  static std::int64_t bytes_of(const SegmentSource<T>& source);
};

/// Uploads a segment to the current device.
template <class T>
UploadedSegment<T> upload_segment(const SegmentSource<T>& source);

}  // namespace sparsecast::cuda
