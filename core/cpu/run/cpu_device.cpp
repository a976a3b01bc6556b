#include "core/cpu/run/cpu_device.hpp"

#include <algorithm>
#include <utility>

#include "core/base/buffer.hpp"
#include "core/base/round_up.hpp"
#include "core/base/threads/split_by_weight.hpp"
#include "core/cpu/run/cache_line.hpp"

namespace sparsecast {

template <class T>
CpuDevice<T>::CpuDevice(const Segment& segment, CpuMatrices<T> matrices,
                        const CpuVectorLayout& vectors, int threads)
    : segment_(segment),
      matrices_(std::move(matrices)),
      vectors_(vectors),
      threads_(threads),
      barrier_(threads) {
  split_rows();
}

template <class T>
std::int64_t CpuDevice<T>::bytes() const {
  std::int64_t bytes = vectors_.bytes();
  for (const auto& matrix : matrices_) bytes += matrix->bytes();
  return bytes;
}

template <class T>
void CpuDevice<T>::split_rows() {
  const std::int64_t rows = segment_.rows();
  // Whole cache lines, so that no two threads write to one.
  constexpr std::int64_t line = values_per_line<T>;
  auto& equal = thread_rows_[static_cast<std::size_t>(RowSplit::equal_rows)];
  const std::int64_t lines = round_up(rows, line) / line;
  for (int i = 0; i < threads_; ++i) {
    equal.push_back({std::min(rows, lines * i / threads_ * line),
                     std::min(rows, lines * (i + 1) / threads_ * line)});
  }
  auto& by_elements = thread_rows_[static_cast<std::size_t>(RowSplit::equal_elements)];
  if (matrices_.empty()) {
    by_elements = equal;
    return;
  }
  // Bytes of what is stored, and of four vectors that SpMV, CG3 and the sum touch.
  const std::int64_t n = matrix()->rows_together();
  Buffer<std::int64_t> weights = matrix()->stored_before();
  for (std::size_t k = 0; k < weights.size(); ++k) {
    weights[k] += static_cast<std::int64_t>(k * n * 4 * sizeof(T));
  }
  const std::vector<std::int64_t> boundaries = split_by_weight(weights, threads_);
  for (int i = 0; i < threads_; ++i) {
    by_elements.push_back(
        {std::min(rows, boundaries[i] * n), std::min(rows, boundaries[i + 1] * n)});
  }
}

template class CpuDevice<float>;
template class CpuDevice<double>;

}  // namespace sparsecast
