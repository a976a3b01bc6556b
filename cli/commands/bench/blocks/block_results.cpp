#include "cli/commands/bench/blocks/block_results.hpp"

#include <algorithm>
#include <map>

namespace sparsecast::cli {

BlockResults::BlockResults(std::span<const BlockMeasurement> all, const std::string& description) {
  for (const BlockMeasurement& m : all) {
    const bool is_judged = m.description == description && m.scale == 1;
    if (is_judged && m.precision == Precision::f32) measurements_.push_back(&m);
  }
}

const BlockMeasurement* BlockResults::last(
    const std::function<bool(const BlockMeasurement&)>& is_wanted) const {
  const auto found = std::find_if(measurements_.rbegin(), measurements_.rend(),
                                  [&](const BlockMeasurement* m) { return is_wanted(*m); });
  return found == measurements_.rend() ? nullptr : *found;
}

const BlockMeasurement* BlockResults::product(std::string_view mesh, std::string_view problem,
                                              std::string_view order,
                                              std::string_view layout) const {
  return last([&](const BlockMeasurement& m) {
    return m.what == "product" && m.mesh == mesh && m.problem == problem && m.order == order &&
           m.layout == layout;
  });
}

const BlockMeasurement* BlockResults::iteration(std::string_view mesh, std::string_view problem,
                                                std::string_view solver) const {
  return last([&](const BlockMeasurement& m) {
    return m.what == "iteration" && m.mesh == mesh && m.problem == problem && m.solver == solver;
  });
}

const BlockMeasurement* BlockResults::saxpy(std::int64_t values) const {
  return last([&](const BlockMeasurement& m) { return m.what == "saxpy" && m.rows == values; });
}

const BlockMeasurement* BlockResults::dot(std::int64_t values, int values_per_block) const {
  return last([&](const BlockMeasurement& m) {
    return m.what == "dot" && m.rows == values && m.number == values_per_block;
  });
}

std::vector<const BlockMeasurement*> BlockResults::history() const {
  std::map<double, const BlockMeasurement*> by_iterations;
  for (const BlockMeasurement* m : measurements_) {
    if (m->what == "history") by_iterations[m->number] = m;
  }
  std::vector<const BlockMeasurement*> records;
  for (const auto& [iterations, record] : by_iterations) records.push_back(record);
  // One that could not be measured has a record of none.
  if (records.size() > 1 && !records.front()->measured()) records.erase(records.begin());
  return records;
}

}  // namespace sparsecast::cli
