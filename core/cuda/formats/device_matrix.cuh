#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cuda/several/halo_wait.cuh"
#include "core/cuda/vector/block_finish.cuh"
#include "core/cuda/vector/vector_kernels.cuh"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// What the CUDA back end needs of a storage format: a segment on a GPU, and its products.

namespace sparsecast::cuda {

/// What a product works on, in device memory.
template <class T>
struct ProductOperands {
  /// The value of the segment's first row in the whole vector, which `input_padding` zeros follow.
  const T* input = nullptr;
  T* output = nullptr;
  /// What it waits for is not read before it is there.
  HaloWait halo;
  /// If it is active, the product sums input . output (the matrix is square). It has memory for
  /// `most_dot_parts(most_blocks)` partial sums, all 0 before the first launch; where blocks take
  /// tickets, `most_blocks` do for rows.
  BlockFinish finish;
  std::int64_t most_blocks = 0;
};

/// A segment of a matrix in the memory of a GPU, in some format.
template <class T>
class DeviceMatrix {
 public:
  virtual ~DeviceMatrix() = default;

  /// The launches of output = A * input, in order. The first counts that the step runs; behind a
  /// closed gate the output stays as it is. One where there is a sum to end with.
  virtual std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                                const Gate& gate) const = 0;
  /// Whether products can end with the sum (`ProductOperands::finish`). If not, a kernel behind
  /// them does.
  virtual bool sums() const = 0;
  /// Whether products wait for halos row by row; if not, they are launched behind the wait.
  virtual bool waits_for_halos() const = 0;
  /// Partial sums that a product with sums writes, or the kernel behind it.
  virtual std::int64_t most_dot_parts(std::int64_t most_blocks) const = 0;

  virtual const SegmentShape& shape() const = 0;
  /// Of all arrays on the device, those too that launches made so far need.
  virtual std::int64_t bytes() const = 0;
  /// Bytes of values, indices and offsets that one multiplication reads.
  virtual BytesByKind bytes_read() const = 0;
  /// Seconds that the copy of the CSR arrays and the conversion took, allocations included.
  virtual double upload_seconds() const = 0;
  virtual double conversion_seconds() const = 0;
};

/// A segment that is to be uploaded and converted.
template <class T>
struct SegmentSource {
  const CsrView<T>& matrix;  ///< the whole one
  Segment segment;
  const Layout& layout;
  const CudaPolicy& policy;
  std::int64_t bytes_beside = 0;  ///< that the caller is going to allocate, too
};

/// A format on a GPU.
template <class T>
struct CudaFormat {
  /// Bytes that uploading and converting a segment takes, at most; `counted`: nearer, in
  /// O(nonzeros). 0: `make` sees to it itself.
  std::int64_t (*bytes_bound)(const SegmentSource<T>& source, bool counted) = nullptr;
  /// Uploads to the current device and converts there. Columns must rise within rows. Throws
  /// `Error` where the format does not fit the matrix.
  std::unique_ptr<DeviceMatrix<T>> (*make)(const SegmentSource<T>& source) = nullptr;
};

/// The format of a layout. Throws like `format_of`.
template <class T>
const CudaFormat<T>& cuda_format(const Layout& layout);

}  // namespace sparsecast::cuda
