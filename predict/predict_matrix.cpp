#include "predict/predict_matrix.hpp"

#include <functional>
#include <utility>

#include "core/analysis/cuda_segments.hpp"
#include "core/analysis/persistent_execution.hpp"
#include "core/analysis/stored_pattern.hpp"
#include "core/workload/cuda_policy.hpp"
#include "predict/features/forecast_features.hpp"
#include "predict/forecast/matrix_segments.hpp"
#include "predict/forecast/predictor.hpp"
#include "predict/forecast/requested_forecasts.hpp"
#include "predict/forecast/traffic/traffic_case.hpp"

namespace sparsecast {

std::vector<Prediction> predict_matrix(const CsrView<double>& matrix,
                                       const MatrixFeatures& features, const DeviceProfile& profile,
                                       const PredictionRequest& request) {
  MatrixOrders as_given(matrix, features);
  return predict_matrix(as_given, profile, request);
}

std::vector<Prediction> predict_matrix(MatrixOrders& orders, const DeviceProfile& profile,
                                       const PredictionRequest& request) {
  check_request(request, profile);
  const CsrView<double>& matrix = orders.given().matrix();
  require_system(matrix.rows, matrix.columns);
  MatrixSegments segments(orders);
  ForecastProblem problem;
  problem.unknowns = static_cast<double>(matrix.rows);
  problem.nonzeros = static_cast<double>(matrix.nonzeros());
  problem.renumbering = [&](int devices) { return orders.renumbering(devices); };
  problem.segments = std::ref(segments);
  problem.numbers = [&](const Layout& layout, int devices) {
    return segments.numbers(layout, devices);
  };
  problem.traffic = [&](const Layout& layout) {
    OrderedMatrix& one = orders.on(1);
    if (const int threads = profile.traffic->cpu_threads; threads > 0) {
      const SegmentShape shape = segments(layout, 1).front();
      return cpu_traffic_case(
          layout, shape, stored_pattern(one.access(), shape, layout, request.precision), threads);
    }
    return traffic_case(one.matrix(), one.features(), one.access(), layout, request.precision,
                        profile.traffic->gpu);
  };
  problem.persistent = [&](const Layout& layout, const PersistentNeeds& needs) {
    return persistent_execution(orders.on(1).matrix().pattern(), layout, request.precision,
                                profile.traffic->gpu, CudaPolicy{}, needs);
  };
  problem.work = [&](const Layout& layout, int devices, ExchangeMode mode) {
    const CsrView<double>& ordered = orders.on(devices).matrix();
    if (profile.traffic->cpu_threads > 0) {
      return cpu_segments(ordered, layout, devices, request.precision);
    }
    return cuda_segments(ordered, layout, devices, request.precision, profile.traffic->gpu,
                         CudaPolicy{}, mode);
  };
  const SolverList solvers(request);
  Predictor predictor(std::move(problem), profile, request, solvers);
  if (profile.traffic) return predict_by_traffic(predictor, profile, request);
  return predict_by_curves(predictor, profile, request);
}

}  // namespace sparsecast
