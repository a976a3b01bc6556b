// A caller with arrays of its own: solves, and forecasts the same matrix on another machine.
#include <sparsecast/core/engine/solve.hpp>
#include <sparsecast/core/open_backend.hpp>
#include <sparsecast/model/profile/profile_file.hpp>
#include <sparsecast/predict/predict_matrix.hpp>
#include <sparsecast/predict/prediction.hpp>

#include <cstdio>

int main() {
  const std::vector<std::int64_t> row_offsets{0, 2, 5, 7};
  const std::vector<std::int32_t> columns{0, 1, 0, 1, 2, 1, 2};
  const std::vector<double> values{2, -1, -1, 2, -1, -1, 2}, b{1, 2, 3};
  std::vector<double> x(3, 0.0);
  const sparsecast::CsrView<double> matrix{3, 3, row_offsets, columns, values};
  const auto cpu = sparsecast::open_backend("cpu");
  const auto solution = sparsecast::solve(*cpu, matrix, b, x, {});
  const auto gtx280 = sparsecast::read_profile(PROFILE);
  sparsecast::PredictionRequest request{.precision = sparsecast::Precision::f32};
  const auto features = sparsecast::compute_features(matrix);
  const auto forecast = sparsecast::predict_matrix(matrix, features, gtx280, request);
  std::printf("%s; %s: %.1f us per iteration\n", solution.brief().c_str(), gtx280.device.c_str(),
              1e6 * forecast.at(0).seconds_per_iteration);
}
