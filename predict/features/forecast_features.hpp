#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/counted/product_counts.hpp"
#include "core/analysis/counted/segment_counts.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/base/precision.hpp"
#include "core/engine/iteration_count.hpp"
#include "core/formats/format.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "predict/matrix_orders.hpp"

/// @file
/// All that forecasts need of a matrix, so that they can be made where it is not: what a features
/// file holds (docs/features.md).

namespace sparsecast {

/// A matrix cut for several devices in a layout; one entry a device.
struct CountedPartition {
  std::vector<PatternNumbers> numbers;  ///< of segments as wide as they come
  std::vector<SegmentCounts> segments;  ///< of those that GPUs have, in whole cache lines
};

/// What is counted for a layout, and with it for its sorted rows.
struct CountedLayout {
  Layout layout;  ///< rows in natural order
  std::map<Precision, std::vector<ProductCounts>> products;
  std::map<int, CountedPartition> partitions;  ///< by number of devices, 2 or more
};

/// What a persistent kernel does with the matrix on one kind of GPU.
struct CountedPersistent {
  GpuShape gpu;
  Precision precision = Precision::f64;
  PersistentExecution execution;
};

struct ForecastFeatures {
  std::string name;    ///< of the matrix
  std::string source;  ///< the file that it was read from, or its name: for messages
  /// What made the order of the unknowns, as `MatrixOrders` has it for each number of devices.
  Renumbering renumbering = Renumbering::none;
  MatrixFeatures features;
  MatrixAccess access;       ///< where it was read, without lengths of rows
  std::vector<int> devices;  ///< for which it is cut, each 2 or more, rising
  /// Of formats that may pay, in the order of tables; a format that the file says nothing of, or in
  /// another version, is left out.
  std::vector<CountedLayout> layouts;
  /// Where sizes alone do not say that there is no such kernel.
  std::vector<CountedPersistent> persistent;
  /// Iterations that were counted of solvers, where the matrix was.
  std::vector<IterationCount> counts{};
  std::vector<std::string> left_out;  ///< formats, with the reason, a sentence each

  /// The counts of a layout, whatever its order of rows; nullptr where there are none.
  const CountedLayout* find(const Layout& layout) const;
};

/// What is to be counted beside one device of any kind.
struct CountRequest {
  std::vector<int> devices;    ///< numbers of them, each 2 or more, rising
  std::vector<GpuShape> gpus;  ///< for whose persistent kernels, and products of whatever size
  /// Called on this thread, now and then, with the share that is done.
  std::function<void(double done)> progress;
};

/// Counts a square matrix. O(nonzeros) for each layout, number of devices and GPU. Throws `Error`
/// for a matrix that is not square or has no rows, and what `make_permutation` throws.
ForecastFeatures count_features(MatrixOrders& orders, const std::string& name,
                                const CountRequest& request);

/// Throws `Error` for the size of a matrix that nobody forecasts: not square, or without rows.
void require_system(std::int64_t rows, std::int64_t columns);

}  // namespace sparsecast
