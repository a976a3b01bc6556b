#include "calibrate/fit/upload_fit.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "calibrate/fit/cost_fit.hpp"
#include "core/workload/device_arrays.hpp"

namespace sparsecast {

std::optional<UploadCost> fit_upload(std::span<const Sample> samples) {
  constexpr double least_bytes = 8e6;
  std::vector<CostPoint> points;
  double most_bytes = 0;
  // What a matrix takes as one shows beside vectors alone: it always has three arrays.
  const bool tells_matrices =
      std::ranges::find(samples, vector_upload, &Sample::kernel) != samples.end();
  for (const Sample& sample : samples) {
    const bool vector = sample.kernel == vector_upload;
    if (sample.kernel != matrix_upload && !vector) continue;
    const BytesByKind& bytes = sample.bytes;
    const std::vector<double> arrays =
        vector ? std::vector{bytes.vector_reads}
               : std::vector{bytes.values, bytes.indices, bytes.row_pointers};
    const UploadTerms terms = upload_terms(arrays, !vector);
    CostPoint point{{terms.arrays, terms.starts, terms.threads_bytes, terms.driver_bytes},
                    sample.seconds};
    if (tells_matrices) point.terms.push_back(vector ? 0 : 1);
    points.push_back(std::move(point));
    most_bytes = std::max(most_bytes, sample.bytes.total());
  }
  if (most_bytes < least_bytes) return std::nullopt;
  const std::vector<double> cost = fit_cost(points);
  if (!(cost[2] > 0)) return std::nullopt;
  UploadCost upload{cost[0], cost[1], tells_matrices ? cost[4] : 0, 1e-9 / cost[2], std::nullopt};
  if (cost[3] > 0) upload.small_gbps = 1e-9 / cost[3];
  return upload;
}

}  // namespace sparsecast
