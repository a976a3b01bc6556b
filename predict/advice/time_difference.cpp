#include "predict/advice/time_difference.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "model/traffic/traffic_price.hpp"

namespace sparsecast {
namespace {

/// What a forecast spends on a part of its iterations.
struct Spent {
  double seconds = 0;
  double amount = 0;  ///< bytes; 0 where it is nothing that is counted
};

using Parts = std::map<std::string_view, Spent>;

/// Whether the terms of a price are known one by one.
bool has_terms(const Prediction& prediction) {
  return prediction.traffic && prediction.devices == 1 && !prediction.traffic->price.steps.empty();
}

void add_terms(const StepPrice& step, double of_similar_iterations, Parts& parts) {
  const double own =
      step.fixed_seconds - step.longest_row_seconds - step.wave_seconds - step.waiting_seconds;
  parts["launches, first loads and sums"].seconds += own;
  parts["work on the longest row"].seconds += step.longest_row_seconds;
  parts["further waves of thread blocks"].seconds += step.wave_seconds;
  parts["waits of threads for each other"].seconds += step.waiting_seconds;
  const double terms = step.seconds / of_similar_iterations;
  parts["what similar cases took beside the model's terms"].seconds +=
      step.residual_seconds + step.seconds - terms;
  const double overlapping = step.memory_seconds + step.cache_seconds + step.gather_seconds +
                             step.l1_seconds + step.instruction_seconds;
  const double share =
      overlapping > 0 ? (terms - step.fixed_seconds - step.residual_seconds) / overlapping : 0;
  const auto add = [&](std::string_view part, double seconds, double amount = 0) {
    Spent& spent = parts[part];
    spent.seconds += share * seconds;
    spent.amount += amount;
  };
  add("bytes from and to memory", step.memory_seconds, step.memory_bytes);
  add("bytes through caches", step.cache_seconds, step.bytes.total());
  add("gathers", step.gather_seconds, step.gathered_bytes);
  add("lines of L1", step.l1_seconds);
  add("instructions", step.instruction_seconds);
}

Parts terms_of(const Prediction& prediction) {
  const TrafficPrice& price = prediction.traffic->price;
  const double of_similar_iterations = price.seconds / (price.seconds - price.residual_seconds);
  Parts parts;
  for (const StepPrice& step : price.steps) add_terms(step, of_similar_iterations, parts);
  parts["launches, first loads and sums"].seconds += price.launch_seconds;
  return parts;
}

Parts parts_of(const Prediction& prediction) {
  const TimeParts& parts = prediction.parts;
  return {{"SpMV", {parts.spmv}},
          {"vector kernels", {parts.vector_kernels}},
          {"reductions", {parts.reductions}},
          {"the exchange", {parts.exchange}},
          {prediction.traffic ? "launches and synchronisation" : "synchronisation",
           {parts.synchronisation}}};
}

void add_setup(const Prediction& prediction, Parts& parts) {
  const auto iterations = static_cast<double>(prediction.iterations);
  parts["conversion"].seconds = *prediction.conversion_seconds / iterations;
  parts["upload"].seconds = *prediction.upload_seconds / iterations;
}

}  // namespace

std::vector<TimeDifference> time_differences(const Prediction& one, const Prediction& other) {
  const bool terms = has_terms(one) && has_terms(other);
  Parts of_one = terms ? terms_of(one) : parts_of(one);
  Parts of_other = terms ? terms_of(other) : parts_of(other);
  if (one.total_seconds && other.total_seconds) {
    add_setup(one, of_one);
    add_setup(other, of_other);
  }
  for (const auto& [part, spent] : of_other) of_one.try_emplace(part);
  std::vector<TimeDifference> differences;
  for (const auto& [part, spent] : of_one) {
    const Spent& others = of_other[part];
    TimeDifference difference{std::string(part), spent.seconds - others.seconds, {}};
    if (spent.amount > 0 && others.amount > 0) {
      difference.amount_ratio = spent.amount / others.amount;
    }
    if (difference.seconds != 0) differences.push_back(std::move(difference));
  }
  std::ranges::stable_sort(differences, std::ranges::greater{},
                           [](const TimeDifference& each) { return std::abs(each.seconds); });
  return differences;
}

}  // namespace sparsecast
