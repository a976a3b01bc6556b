#include "predict/validation/case_row.hpp"

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/cuda_segments.hpp"
#include "core/analysis/persistent_execution.hpp"
#include "core/analysis/segment_numbers.hpp"
#include "core/analysis/stored_pattern.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"
#include "predict/forecast/traffic/traffic_case.hpp"
#include "predict/validation/case_price.hpp"

namespace sparsecast {

namespace {

template <class T>
GpuExecution execution_of(const CsrView<T>& matrix, const ValidationInput& input,
                          const ValidationRequest& request, const ValidationRow& row) {
  const CudaPolicy policy;
  const bool persistent = row.launch == to_string(LaunchMode::persistent);
  const auto needs =
      persistent ? persistent_needs(case_solver(row.schedule, request.own).schedule) : std::nullopt;
  return gpu_execution(matrix, input.access,
                       cuda_shape(matrix, input.features, input.access, row.layout, policy),
                       row.layout, row.precision, *request.gpu, policy, needs);
}

template <class T>
std::vector<SegmentWork> segments_of(const CsrView<T>& matrix, Precision precision, int devices,
                                     const Layout& layout, const ValidationRequest& request) {
  // Ranks exchange halos, whoever carries them.
  const ExchangeMode mode = request.of_ranks ? ExchangeMode::halo : request.exchange;
  return cuda_segments(matrix, layout, devices, precision, *request.gpu, CudaPolicy{}, mode,
                       validation_counting_threads);
}

}  // namespace

SegmentShape stored_shape_of(const ValidationInput& input, const Layout& layout) {
  return format_of(layout).shape(matrix_numbers(input.f64.view().pattern(), input.features, layout),
                                 layout);
}

ValidationRow case_row(const ValidationInput& input, const ValidationRequest& request,
                       const ValidatedSolver& solver, Precision precision, const Layout& layout,
                       int devices) {
  ValidationRow row;
  row.matrix = input.matrix;
  row.pattern = input.pattern;
  row.renumbering = to_string(input.renumbering);
  row.surrogate_values = input.surrogate_values;
  row.generated = input.generated;
  row.unknowns = input.f64.rows;
  row.nonzeros = input.f64.nonzeros();
  const SegmentShape stored = stored_shape_of(input, layout);
  row.block_elements = static_cast<std::int64_t>(stored.elements);
  row.layout = layout;
  row.devices = devices;
  row.precision = precision;
  row.schedule = solver.schedule;
  if (request.gpu) row.launch = to_string(solver.launch);
  row.access = stored_pattern(input.access, stored, layout, precision);
  if (request.gpu && devices > 1) row.exchange = to_string(request.exchange);
  return row;
}

std::string describe_case(const ValidationRow& row) {
  std::string text = row.matrix;
  if (row.renumbering != "none") text += ' ' + row.renumbering;
  text += ", " + solver_text(row);
  text += ", " + to_string(row.layout);
  if (row.devices > 1) text += ", " + std::to_string(row.devices) + " devices";
  return text + ", " + std::string(to_string(row.precision));
}

GpuExecution case_execution(const ValidationInput& input, const ValidationRow& row,
                            const ValidationRequest& request) {
  return row.precision == Precision::f32 ? execution_of(input.f32(), input, request, row)
                                         : execution_of(input.f64.view(), input, request, row);
}

std::vector<SegmentWork> case_segments(const ValidationInput& input, Precision precision,
                                       int devices, const Layout& layout,
                                       const ValidationRequest& request) {
  if (!request.gpu) return cpu_segments(input.f64.view(), layout, devices, precision);
  return precision == Precision::f32
             ? segments_of(input.f32(), precision, devices, layout, request)
             : segments_of(input.f64.view(), precision, devices, layout, request);
}

void note_state(const ValidationMonitor& monitor, ValidationRow& row) {
  if (!monitor.state) return;
  const GpuState state = monitor.state();
  row.core_clock_mhz = state.core_clock_hertz / 1e6;
  row.throttle_reasons = state.throttle_reasons;
}

}  // namespace sparsecast
