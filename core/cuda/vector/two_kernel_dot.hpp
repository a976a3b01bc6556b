#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/engine/device_list.hpp"

namespace sparsecast {

/// The values that a thread block of `TwoKernelDot` may sum: 128 threads, 1 to 32 values each.
inline constexpr int two_kernel_dot_sizes[] = {128, 256, 512, 1024, 2048, 4096};

/// The dot product of Buatois, Caumon and Levy (2009, section 2.3.5) on one GPU or a part of it,
/// for comparisons: each block of 128 threads multiplies and sums so many values into one partial
/// sum, its first thread adding up what the others have left in shared memory; a second kernel sums
/// partial sums in the same way, again and again until one is left. All in the precision of the
/// vectors, as theirs. Recorded as CUDA graphs.
template <class T>
class TwoKernelDot {
 public:
  /// Copies two vectors of as many values to the GPU. `values_per_block`: one of
  /// `two_kernel_dot_sizes`. Throws `Error` for another one, for vectors that are empty or differ
  /// in size, where there is no GPU, and for vectors that do not fit its memory.
  TwoKernelDot(const GpuPart& device, int values_per_block, std::span<const T> a,
               std::span<const T> b);
  TwoKernelDot(TwoKernelDot&&) noexcept;
  TwoKernelDot& operator=(TwoKernelDot&&) noexcept;
  ~TwoKernelDot();

  /// So many dot products; returns when they are done.
  void run(std::int64_t dots);

  /// Of the last one.
  T result() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sparsecast
