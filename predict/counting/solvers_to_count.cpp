#include "predict/counting/solvers_to_count.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace sparsecast {

std::string leave_out_symmetric(const std::string& subject, SolversToCount& solvers,
                                const CountWords& words) {
  std::string names;
  const auto leave_out = [&](const std::string& name) {
    names += (names.empty() ? "" : ", ") + name;
  };
  const auto needs_more = [](const OwnSchedule& each) {
    return each.method.needs != MatrixKind::square;
  };
  std::ranges::for_each(solvers.ours, leave_out);
  solvers.ours.clear();
  for (const OwnSchedule& each : solvers.own) {
    if (needs_more(each)) leave_out(each.method.name);
  }
  std::erase_if(solvers.own, needs_more);
  if (names.empty()) return "";
  const std::string what = subject + " is not symmetric: ";
  if (solvers.own.empty()) {
    throw Error(what + names + " cannot solve with it; use " + words.all_solvers);
  }
  return what + "left out, as they cannot solve with it: " + names;
}

std::vector<CountedSolver> counted_solvers(std::span<const IterationCount> counts,
                                           const SolversToCount& solvers) {
  std::vector<CountedSolver> counted;
  for (const IterationCount& count : counts) {
    const auto own = std::ranges::find(solvers.own, count.solver,
                                       [](const OwnSchedule& each) { return each.method.name; });
    counted.push_back(own != solvers.own.end() ? counted_solver(count, own->method)
                                               : counted_solver(count));
  }
  return counted;
}

}  // namespace sparsecast
