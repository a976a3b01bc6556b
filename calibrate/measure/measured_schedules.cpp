#include "calibrate/measure/measured_schedules.hpp"

#include <cstddef>
#include <optional>

#include "calibrate/preparation_kinds.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {

namespace {

/// "Load/4/fixed" or "Mixed/2r1w"; nothing for other names.
std::optional<Schedule> traffic_schedule(const std::string& kernel) {
  const auto digit = [&kernel](std::size_t position) {
    return position < kernel.size() && kernel[position] >= '1' && kernel[position] <= '9'
               ? kernel[position] - '0'
               : 0;
  };
  constexpr std::size_t number_position = 5;  // after "Load/"
  constexpr std::size_t reads_position = 6;   // after "Mixed/"
  constexpr std::size_t writes_position = 8;
  if (kernel.starts_with("Load/") && digit(number_position) > 0) {
    const std::string split = kernel.substr(number_position + 1);
    if (split == "/fixed") return load_schedule(digit(number_position), false);
    if (split == "/variable") return load_schedule(digit(number_position), true);
  }
  if (kernel.starts_with("Mixed/") && digit(reads_position) > 0 && digit(writes_position) > 0 &&
      kernel == "Mixed/" + std::to_string(digit(reads_position)) + 'r' +
                    std::to_string(digit(writes_position)) + 'w') {
    return mixed_schedule(digit(reads_position), digit(writes_position));
  }
  return std::nullopt;
}

}  // namespace

Schedule schedule_to_measure(const std::string& kernel, const std::string& schedule) {
  if (kernel == "Iteration") return built_in(schedule).schedule;
  if (is_preparation(kernel)) return fused_cg().schedule;
  if (kernel == "Exchange") return exchange_schedule();
  if (kernel == "Barrier") return barrier_schedule();
  if (kernel == "PassPair") return pass_pair_schedule(false);
  if (kernel == "SumPassPair") return pass_pair_schedule(true);
  if (kernel == "WidePassPair") return wide_pass_pair_schedule(false);
  if (kernel == "WideSumPassPair") return wide_pass_pair_schedule(true);
  if (is_pass_iteration(kernel)) return pass_iteration_schedule(kernel);
  for (const bool dots : {true, false}) {
    const std::string prefix = dots ? "BlockDots/" : "BlockTerms/";
    for (const int vectors : {8, 30}) {
      if (kernel == prefix + std::to_string(vectors)) return block_pass_schedule(dots, vectors);
    }
  }
  if (const std::optional<Schedule> traffic = traffic_schedule(kernel)) return *traffic;
  return single_step_schedule(kernel);
}

}  // namespace sparsecast
