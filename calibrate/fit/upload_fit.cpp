#include "calibrate/fit/upload_fit.hpp"

#include <algorithm>
#include <vector>

#include "calibrate/fit/cost_fit.hpp"

namespace sparsecast {

std::optional<UploadCost> fit_upload(std::span<const Sample> samples) {
  constexpr double least_bytes = 8e6;
  std::vector<CostPoint> points;
  double most_bytes = 0;
  for (const Sample& sample : samples) {
    if (sample.kernel != "Upload") continue;
    points.push_back({{1, sample.bytes.total()}, sample.seconds});
    most_bytes = std::max(most_bytes, sample.bytes.total());
  }
  if (most_bytes < least_bytes) return std::nullopt;
  const std::vector<double> cost = fit_cost(points);
  if (!(cost[1] > 0)) return std::nullopt;
  return UploadCost{cost[0], 1e-9 / cost[1]};
}

}  // namespace sparsecast
