#include "calibrate/measure/planned_executions.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/analysis/segment_numbers.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {

bool is_left_out(const Measurement& measurement, const SuppliedMatrix& matrix,
                 const MeasuredDevice& device) {
  const Layout& layout = measurement.layout;
  const Format& format = format_of(layout);
  const MatrixFeatures& features = matrix.features;
  const PatternNumbers numbers =
      matrix_numbers(matrix.f64.view().pattern(), features, layout, CudaPolicy{});
  if (format.refusal != nullptr && !format.refusal(numbers, layout).empty()) return true;
  const double elements = format.shape(numbers, layout).elements;
  return elements * static_cast<double>(bytes_per_value(measurement.precision)) >
             device.most_matrix_bytes ||
         elements > measurement.most_fill * static_cast<double>(features.nonzeros);
}

CountedExecutions::Case execution_case(const Measurement& measurement) {
  return {measurement.layout, measurement.precision, measurement.launch == LaunchMode::persistent};
}

std::function<void(int index, SuppliedMatrix& matrix)> execution_counter(
    const MeasurementPlan& plan, const MeasuredDevice& device,
    const std::set<std::string>& measured) {
  if (!device.gpu) return [](int, SuppliedMatrix&) {};
  std::multimap<int, Measurement> of_matrix;
  for (const Measurement& measurement : plan.measurements) {
    if (measurement.matrix < 0 || measurement.devices > 1) continue;
    if (measured.contains(measurement_id(plan, measurement))) continue;
    of_matrix.emplace(measurement.matrix, measurement);
  }
  return [of_matrix = std::move(of_matrix), &device](int index, SuppliedMatrix& matrix) {
    const auto [begin, end] = of_matrix.equal_range(index);
    for (auto place = begin; place != end; ++place) {
      const Measurement& measurement = place->second;
      if (is_left_out(measurement, matrix, device)) continue;
      const auto count = [&, &one = measurement](const auto& view) {
        matrix.executions.count(execution_case(one), view, matrix.features, matrix.access,
                                *device.gpu, device.supply.threads);
      };
      if (measurement.precision == Precision::f32) {
        count(matrix.view<float>());
      } else {
        count(matrix.view<double>());
      }
    }
  };
}

}  // namespace sparsecast
