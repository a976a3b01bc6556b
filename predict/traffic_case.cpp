#include "predict/traffic_case.hpp"

#include <array>
#include <cstdint>
#include <limits>

#include "core/cpu_backend.hpp"
#include "core/cuda_backend.hpp"
#include "core/cuda_execution.hpp"
#include "core/persistent_execution.hpp"

namespace sparsecast {

TrafficCase traffic_case(const CsrView<double>& matrix, const MatrixFeatures& features,
                         const MatrixAccess& access, const Layout& layout, Precision precision,
                         const GpuShape& gpu, bool with_persistent) {
  const CudaPolicy policy;
  TrafficCase one;
  one.shape = cuda_shape(matrix, features, access, layout, policy);
  one.pattern = access.pattern(layout, precision);
  one.execution =
      gpu_execution(matrix, access, one.shape, layout, precision, gpu, policy, with_persistent);
  return one;
}

TrafficCase estimated_traffic_case(const MatrixNumbers& numbers, const Layout& layout,
                                   Precision precision, const GpuShape& gpu) {
  const CudaPolicy policy;
  TrafficCase one;
  one.shape = estimate_shape(numbers, layout);
  one.pattern = estimate_access(numbers, layout, precision);
  constexpr double most_narrow = std::numeric_limits<std::int16_t>::max();
  // Columns count from the first of 32 block rows.
  const double reach = one.pattern.bandwidth / layout.block_size + 32;
  if (may_narrow_columns(static_cast<std::int64_t>(one.shape.elements), layout, policy) &&
      reach <= most_narrow) {
    one.shape.index_bytes = 2;
  }
  const std::array longest{
      RowLengthCount{static_cast<std::int64_t>(one.pattern.longest_row), std::int64_t{1}}};
  one.execution.product =
      spmv_execution(one.shape, layout.block_size, precision, gpu, policy, longest);
  const Layout kept = block_layout(persistent_block_size(layout.block_size));
  one.execution.persistent = estimate_persistent_execution(
      estimate_shape(numbers, kept), estimate_access(numbers, kept, precision), kept.block_size,
      precision, gpu, policy);
  return one;
}

TrafficCase cpu_traffic_case(const SegmentShape& shape, const AccessPattern& pattern, int threads) {
  TrafficCase one;
  one.shape = shape;
  one.pattern = pattern;
  one.cpu = CpuExecution{CpuPolicy{}.threads(shape, threads)};
  return one;
}

TrafficCase cpu_traffic_case(const MatrixFeatures& features, const MatrixAccess& access,
                             const Layout& layout, Precision precision, int threads) {
  return cpu_traffic_case(features.shape(layout), access.pattern(layout, precision), threads);
}

TrafficCase estimated_cpu_traffic_case(const MatrixNumbers& numbers, const Layout& layout,
                                       Precision precision, int threads) {
  return cpu_traffic_case(estimate_shape(numbers, layout),
                          estimate_access(numbers, layout, precision), threads);
}

}  // namespace sparsecast
