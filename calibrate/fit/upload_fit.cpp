#include "calibrate/fit/upload_fit.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "calibrate/fit/cost_fit.hpp"
#include "core/workload/device_arrays.hpp"

namespace sparsecast {

std::optional<UploadCost> fit_upload(std::span<const Sample> samples) {
  constexpr double least_bytes = 8e6;
  std::vector<CostPoint> points;
  double most_bytes = 0;
  for (const Sample& sample : samples) {
    if (sample.kernel != "Upload") continue;
    const BytesByKind& bytes = sample.bytes;
    const std::array arrays{bytes.values, bytes.indices, bytes.row_pointers};
    const UploadTerms terms = upload_terms(arrays);
    points.push_back(
        {{terms.arrays, terms.starts, terms.threads_bytes, terms.driver_bytes}, sample.seconds});
    most_bytes = std::max(most_bytes, sample.bytes.total());
  }
  if (most_bytes < least_bytes) return std::nullopt;
  const std::vector<double> cost = fit_cost(points);
  if (!(cost[2] > 0)) return std::nullopt;
  UploadCost upload{cost[0], cost[1], 1e-9 / cost[2], std::nullopt};
  if (cost[3] > 0) upload.small_gbps = 1e-9 / cost[3];
  return upload;
}

}  // namespace sparsecast
