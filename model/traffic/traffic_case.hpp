#pragma once

#include <optional>
#include <vector>

#include "core/schedule/schedule.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/cpu_execution.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/persistent_needs.hpp"
#include "core/workload/product_part.hpp"

namespace sparsecast {

/// One segment as the model sees it: plain numbers, of a matrix that nobody needs to have uploaded.
struct TrafficCase {
  Layout layout;  ///< that it is stored in
  SegmentShape shape;
  AccessPattern pattern;
  GpuExecution execution;
  ProductGeometry geometry;           ///< of the kernels that multiply it so
  std::optional<CpuExecution> cpu{};  ///< there: on a CPU, and what is said of a GPU is not read
  /// The kernels of its product, each as one of its own, where it takes several; else none.
  std::vector<ProductPart> parts{};
  /// Of the schedule that is priced (`persistent_needs`), where its kernel for all iterations is
  /// and who made the case knows them; else they are looked for anew.
  std::optional<PersistentNeeds> persistent_needs{};
};

}  // namespace sparsecast
