#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/threads/thread_team.hpp"
#include "core/cpu/cpu_matrix.hpp"
#include "core/cpu/cpu_plan.hpp"
#include "core/cpu/run/cpu_vectors.hpp"
#include "core/cpu/run/row_range.hpp"
#include "core/matrix/segment.hpp"

namespace sparsecast {

/// A device's segments of what a schedule multiplies by: none for vectors only; the matrix, then
/// the transpose if it is used.
template <class T>
using CpuMatrices = std::vector<std::unique_ptr<CpuMatrix<T>>>;

/// A group of threads that acts as a device: its segment of the matrix, its vectors, and how its
/// threads share their rows. A thread of it is known by its lane.
template <class T>
class CpuDevice {
 public:
  CpuDevice(const Segment& segment, CpuMatrices<T> matrices, const CpuVectorLayout& vectors,
            int threads);

  const Segment& segment() const { return segment_; }
  /// Null where the schedule does not multiply by it.
  const CpuMatrix<T>* matrix(bool transposed = false) const {
    const std::size_t place = transposed ? 1 : 0;
    return place < matrices_.size() ? matrices_[place].get() : nullptr;
  }
  CpuVectors<T>& vectors() { return vectors_; }
  const CpuVectors<T>& vectors() const { return vectors_; }
  int threads() const { return threads_; }
  /// Of matrices and vectors.
  std::int64_t bytes() const;

  /// The rows of the segment that are a lane's.
  RowRange rows(RowSplit split, int lane) const {
    return thread_rows_[static_cast<std::size_t>(split)][static_cast<std::size_t>(lane)];
  }

  /// The threads of the device wait for each other.
  void barrier() {
    if (threads_ > 1) barrier_.wait();
  }

  /// The next part of a self-scheduled step, from 0. Such steps take turns between two counters.
  std::int64_t take_part(std::size_t turn) {
    return parts_[turn].fetch_add(1, std::memory_order_relaxed);
  }
  /// Starts from 0 again: by one thread, when all have found that no part is left.
  void rewind_parts(std::size_t turn) { parts_[turn].store(0, std::memory_order_relaxed); }

 private:
  void split_rows();

  const Segment segment_;
  const CpuMatrices<T> matrices_;
  CpuVectors<T> vectors_;
  const int threads_;
  std::array<std::vector<RowRange>, 2> thread_rows_;  ///< per `RowSplit` and lane
  std::array<std::atomic<std::int64_t>, 2> parts_{};  ///< handed out of self-scheduled steps
  Barrier barrier_;
};

}  // namespace sparsecast
