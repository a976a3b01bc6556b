#include "predict/validation/data/validation_row.hpp"

#include <algorithm>
#include <tuple>

#include "core/base/text/text_fields.hpp"
#include "core/base/visits.hpp"
#include "model/paper/iteration_time.hpp"

namespace sparsecast {

namespace {

double gflops(double flops, double seconds) {
  return flops / seconds / 1e9;
}

double flops(const ValidationRow& row, std::int64_t elements) {
  const auto e = static_cast<double>(elements);
  return is_solver(row) ? iteration_flops(static_cast<double>(row.unknowns), e) : 2 * e;
}

}  // namespace

bool operator==(const ValidationRow& a, const ValidationRow& b) {
  const auto interval = [](const ValidationRow& row) {
    const Interval none{0, 0};
    const Interval& value = row.interval_seconds ? *row.interval_seconds : none;
    return std::tuple(row.interval_seconds.has_value(), value.low, value.high);
  };
  const auto what = [](const ValidationRow& row) {
    return std::tie(row.matrix, row.pattern, row.renumbering, row.surrogate_values, row.generated,
                    row.unknowns, row.nonzeros, row.block_elements, row.devices, row.precision,
                    row.schedule, row.launch, row.access, row.exchange);
  };
  const auto times = [](const ValidationRow& row) {
    return std::tie(row.measured_seconds, row.measured_spread, row.measured_error, row.rounds,
                    row.visits, row.second_seconds, row.core_clock_mhz, row.throttle_reasons,
                    row.working_set_bytes, row.predicted_seconds, row.paper_seconds,
                    row.baseline_seconds, row.roofline_seconds, row.regression_seconds);
  };
  const auto same_shape = [](const SegmentShape& one, const SegmentShape& other) {
    const auto numbers = [](const SegmentShape& shape) {
      return std::tie(shape.unknowns, shape.total_unknowns, shape.elements, shape.blocks,
                      shape.block_rows, shape.index_bytes, shape.offset_bytes);
    };
    return numbers(one) == numbers(other);
  };
  return a.layout == b.layout && what(a) == what(b) && times(a) == times(b) &&
         interval(a) == interval(b) && std::ranges::equal(a.segments, b.segments, same_shape) &&
         to_text(a.work) == to_text(b.work) && a.solution == b.solution;
}

bool is_solver(const ValidationRow& row) {
  return row.schedule != product_alone;
}

std::string solver_text(const ValidationRow& row) {
  return row.launch.empty() ? row.schedule : row.schedule + ' ' + row.launch;
}

std::string case_key(const ValidationRow& row) {
  std::string key = row.matrix + ',' + row.pattern + ',' + row.renumbering + ',' +
                    to_string(row.layout) + ',' + std::to_string(row.devices) + ',' +
                    std::string(to_string(row.precision)) + ',' + row.schedule + ',' + row.launch +
                    ',' + row.exchange;
  if (!row.solution) return key;
  const IterationCount& count = row.solution->count;
  key += ",to " + number_text(count.tolerance) + ',' + count.right_hand_side;
  for (const auto& [name, value] : count.settings) key += ',' + name + '=' + number_text(value);
  return key;
}

double measurement_noise(const ValidationRow& row) {
  return row.visits > 1 ? disagreement(row, &ValidationRow::measured_seconds) : row.measured_spread;
}

double raw_gflops(const ValidationRow& row, double seconds) {
  return gflops(flops(row, row.block_elements), seconds);
}

double effective_gflops(const ValidationRow& row, double seconds) {
  return gflops(flops(row, row.nonzeros), seconds);
}

}  // namespace sparsecast
