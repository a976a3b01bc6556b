#include "calibrate/fit/plain_regression.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "calibrate/measure/measured_schedules.hpp"
#include "core/base/error.hpp"
#include "core/formats/registry.hpp"
#include "model/step_kinds.hpp"

namespace sparsecast {
namespace {

/// Of a group; O(n^3).
constexpr std::size_t most_samples = 3000;

/// Those of one group are learned together.
std::string group_of(const CountedCase& one) {
  std::string group = one.schedule.name;
  (group += ' ') += one.launch;
  if (!is_csr_or_blocks(one.layout)) (group += ' ') += one.layout.format;
  return group;
}

}  // namespace

Traits plain_counts(const CountedCase& one) {
  double matrix_bytes = 0;
  double vector_bytes = 0;
  double kernels = 0;
  for (const Step& step : one.schedule.iteration) {
    if (!runs_mostly(step) || !runs_kernel(step)) continue;
    const BytesByKind bytes = bytes_moved(step, one.shape, one.precision);
    matrix_bytes += bytes.values + bytes.indices + bytes.row_pointers;
    vector_bytes += bytes.vector_reads + bytes.vector_writes;
    ++kernels;
  }
  const double mean_row = one.shape.blocks / std::max(one.shape.block_rows, 1.0);
  const double nonzeros = std::max(one.nonzeros, 1.0);
  constexpr double rows_between = 64;
  return {std::log(one.shape.unknowns),
          std::log(nonzeros),
          std::log(std::max(matrix_bytes, 1.0)),
          std::log(std::max(vector_bytes, 1.0)),
          std::log(kernels),
          std::log(static_cast<double>(one.layout.block_size)),
          std::log(static_cast<double>(bytes_per_value(one.precision))),
          std::log1p(one.access.row_deviation / std::max(mean_row, 1.0)),
          std::log(distinct_sectors(one.access, rows_between) / nonzeros)};
}

PlainRegression::PlainRegression(std::span<const Sample> samples) {
  std::map<std::string, std::vector<ProcessSample>> groups;
  for (const Sample& sample : samples) {
    const bool counts = sample.kernel == "Iteration" || sample.kernel == "SpMV";
    if (!counts || sample.devices != 1 || !sample.access || !sample.trusted() ||
        !is_precise(sample.relative_noise())) {
      continue;
    }
    const Schedule schedule = schedule_to_measure(sample.kernel, sample.schedule);
    const CountedCase one{schedule,        sample.launch,   parse_layout(sample.layout),
                          sample.shape,    sample.nonzeros, *sample.access,
                          sample.precision};
    groups[group_of(one)].push_back({plain_counts(one), std::log(sample.seconds)});
  }
  if (groups.empty()) throw Error("regression: no sample is of an iteration or a product");
  for (const auto& [group, of_group] : groups) {
    processes_.emplace(group, fit_process(of_group, most_samples));
  }
}

std::optional<double> PlainRegression::seconds(const CountedCase& one) const {
  const auto found = processes_.find(group_of(one));
  if (found == processes_.end()) return std::nullopt;
  return std::exp(expected_value(found->second, plain_counts(one)));
}

}  // namespace sparsecast
