#include "predict/predict_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/estimated_access.hpp"
#include "core/base/error.hpp"
#include "core/formats/registry.hpp"
#include "predict/forecast/device_memory.hpp"
#include "predict/forecast/predictor.hpp"
#include "predict/forecast/requested_forecasts.hpp"
#include "predict/forecast/traffic/traffic_case.hpp"

namespace sparsecast {

namespace {

MatrixNumbers numbers_of(double unknowns, double elements, const Layout& layout,
                         const RowNumbers& rows) {
  MatrixNumbers numbers;
  numbers.rows = unknowns;
  numbers.nonzeros = std::min(elements, unknowns * unknowns);  // of blocks beyond the matrix's end
  numbers.of_rows = rows;
  numbers.block_size = layout.block_size;
  return numbers;
}

std::string whole(double number) {
  return std::to_string(std::llround(number));
}

}  // namespace

void check_layout_of_numbers(const Layout& layout) {
  if (format_of(layout).count == nullptr) return;
  throw Error(
      "layout " + to_string(layout) +
      ": unknowns and elements alone do not say how much it stores; give the matrix itself");
}

void check_numbers(double unknowns, double elements, const Layout& layout,
                   const DeviceProfile& profile, const RowNumbers& rows) {
  check_layout_of_numbers(layout);
  const int block = layout.block_size;
  const auto refuse = [](const std::string& what) { throw Error(what); };
  const auto is_size = [](double size) { return size >= 1 && size <= most_of_any_size; };
  if (!is_size(unknowns)) refuse("unknowns must lie from 1 to 1e15");
  if (!is_size(elements)) refuse("elements must lie from 1 to 1e15");
  if (profile.traffic && !profile.network && unknowns > most_rows_of_device) {
    refuse(
        "unknowns must be at most 2^31 where devices number all of them; each rank of a network "
        "numbers its own (docs/network.md)");
  }
  const std::string by = std::to_string(block) + " x " + std::to_string(block);
  const std::string of = block == 1 ? "" : " of " + by + " blocks";
  if (elements < unknowns * block) {
    refuse(whole(elements) + " elements are fewer than a full diagonal" + of +
           " has; expected at least " + whole(unknowns * block));
  }
  const double whole_rows = std::ceil(unknowns / block) * block;
  if (elements > whole_rows * whole_rows) {
    refuse(whole(elements) + " elements are more than a dense matrix" + of +
           " has; expected at most " + whole(whole_rows * whole_rows));
  }
  check_row_numbers(rows, unknowns, std::min(elements, unknowns * unknowns));
}

std::vector<Prediction> predict_numbers(double unknowns, double elements, const Layout& layout,
                                        const DeviceProfile& profile,
                                        const PredictionRequest& request, const RowNumbers& rows) {
  return predict_numbers(unknowns, elements, layout, profile, request, SolverList(request), rows);
}

std::vector<Prediction> predict_numbers(double unknowns, double elements, const Layout& layout,
                                        const DeviceProfile& profile,
                                        const PredictionRequest& request, const SolverList& solvers,
                                        const RowNumbers& rows) {
  check_request(request, profile);
  check_numbers(unknowns, elements, layout, profile, rows);
  ForecastProblem problem;
  problem.unknowns = unknowns;
  problem.nonzeros = elements;
  problem.density_known = false;
  problem.segments = [=](const Layout& stored, int devices) {
    return equal_segments(unknowns, elements, stored, devices);
  };
  problem.traffic = [&](const Layout& stored) {
    const MatrixNumbers numbers = numbers_of(unknowns, elements, layout, rows);
    if (const int threads = profile.traffic->cpu_threads; threads > 0) {
      return estimated_cpu_traffic_case(numbers, stored, request.precision, threads);
    }
    return estimated_traffic_case(numbers, stored, request.precision, profile.traffic->gpu);
  };
  problem.persistent = [&](const Layout& stored, const PersistentNeeds& needs) {
    return estimated_persistent(numbers_of(unknowns, elements, layout, rows), stored,
                                request.precision, profile.traffic->gpu, needs);
  };
  problem.work = [&](const Layout& stored, int devices, ExchangeMode mode) {
    const MatrixNumbers numbers = numbers_of(unknowns, elements, layout, rows);
    // Nobody takes many hosts for rows as they come.
    const Parts parts = profile.is_on_network(devices) ? Parts::compact : Parts::consecutive;
    if (profile.traffic->cpu_threads > 0) {
      return estimated_cpu_segments(numbers, stored, devices, request.precision, parts);
    }
    return estimated_segments(numbers, stored, devices, request.precision, profile.traffic->gpu,
                              mode, parts);
  };
  problem.estimated_from = known_numbers(rows);
  // Maps ask for it at each of their places: its solvers are not copied for that.
  std::optional<PredictionRequest> in_layout;
  if (request.layouts != std::vector{layout}) {
    in_layout = request;
    in_layout->layouts = {layout};
  }
  const PredictionRequest& one = in_layout ? *in_layout : request;
  Predictor predictor(std::move(problem), profile, one, solvers);
  if (profile.traffic) return predict_by_traffic(predictor, profile, one);
  std::vector<Prediction> predictions;
  for (const int devices : request.devices) {
    predictions.push_back(predictor.predict({layout, devices}));
  }
  predictor.add_speedups(predictions);
  return predictions;
}

}  // namespace sparsecast
