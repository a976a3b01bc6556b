#include "predict/validation/data/solution_case.hpp"

#include <tuple>

namespace sparsecast {

bool operator==(const SolutionCase& a, const SolutionCase& b) {
  const auto ends = [](const SolutionCase& one) {
    const Interval interval = one.interval.value_or(Interval{});
    return std::tuple(one.interval.has_value(), interval.low, interval.high);
  };
  const auto what = [](const SolutionCase& one) {
    return std::tie(one.outcome, one.iterations, one.cycle_steps, one.amount, one.measured,
                    one.call_seconds, one.predicted);
  };
  return to_json(a.count).text() == to_json(b.count).text() && what(a) == what(b) &&
         ends(a) == ends(b);
}

bool converged(const SolutionCase& solution) {
  return solution.outcome == Outcome::converged;
}

}  // namespace sparsecast
