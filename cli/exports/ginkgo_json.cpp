#include "cli/exports/ginkgo_json.hpp"

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text/json_text.hpp"

namespace sparsecast::cli {
namespace {

/// What Ginkgo's file says of one matrix on one device.
struct Entry {
  const TimedCase* any = nullptr;
  std::map<std::string, const TimedCase*> products;
  std::map<std::string, const TimedCase*> solvers;
};

/// With its order where that is not its own.
std::string matrix_of(const TimedCase& each) {
  return each.order.empty() ? each.matrix : each.matrix + " (" + each.order + ')';
}

std::string name_of(const TimedCase& each) {
  return each.setting() + (each.forecast_by.empty() ? "" : "-forecast-" + each.forecast_by);
}

void keep_faster(std::map<std::string, const TimedCase*>& cases, const TimedCase& each) {
  const TimedCase*& kept = cases[name_of(each)];
  if (kept == nullptr || each.seconds < kept->seconds) kept = &each;
}

JsonObject product_json(const TimedCase& each) {
  JsonObject json;
  if (each.bytes > 0) json.add("storage", std::llround(each.bytes));
  json.add("time", each.seconds);
  if (each.repetitions > 0) json.add("repetitions", each.repetitions);
  return json.add("completed", true);
}

JsonObject solver_json(const TimedCase& each) {
  const TimedIterations all = each.all.value_or(TimedIterations{1, each.seconds});
  JsonObject json{
      {"recurrent_residuals", JsonArray()},
      {"true_residuals", JsonArray()},
      {"iteration_timestamps", JsonArray()},
      {"generate", JsonObject{{"components", JsonObject()}, {"time", 0}}},
      {"apply",
       JsonObject{{"components", JsonObject()}, {"iterations", all.count}, {"time", all.seconds}}},
      {"preconditioner", JsonObject()}};
  if (each.repetitions > 0) json.add("repetitions", each.repetitions);
  return json.add("completed", true);
}

JsonObject to_json(const Entry& entry) {
  const TimedCase& any = *entry.any;
  const std::string name = matrix_of(any);
  const std::int64_t rows = std::llround(any.rows);
  const std::int64_t nonzeros = std::llround(any.nonzeros);
  JsonObject json{
      {"filename", name},
      // By this the explorer's plots choose what they draw.
      {"dataset", JsonObject{{"system", any.system}, {"executor", any.on_gpu ? "cuda" : "omp"}}},
      {"problem",
       JsonObject{{"name", name}, {"rows", rows}, {"cols", rows}, {"nonzeros", nonzeros}}},
      {"rows", rows},
      {"cols", rows},
      {"nonzeros", nonzeros}};
  if (!entry.products.empty()) {
    JsonObject products;
    std::string best;
    for (const auto& [setting, each] : entry.products) {
      products.add(setting, product_json(*each));
      if (!each->forecast_by.empty()) continue;
      if (best.empty() || each->seconds < entry.products.at(best)->seconds) best = setting;
    }
    json.add("spmv", products);
    if (!best.empty()) json.add("optimal", JsonObject{{"spmv", best}});
  }
  if (!entry.solvers.empty()) {
    JsonObject solvers;
    for (const auto& [setting, each] : entry.solvers) solvers.add(setting, solver_json(*each));
    json.add("solver", solvers);
  }
  return json;
}

}  // namespace

std::string ginkgo_json(std::span<const TimedCase> cases) {
  using Key = std::pair<std::string, std::string>;
  std::vector<Key> order;
  std::map<Key, Entry> entries;
  for (const TimedCase& each : cases) {
    const Key key(matrix_of(each), each.system);
    const auto [place, added] = entries.try_emplace(key);
    if (added) {
      order.push_back(key);
      place->second.any = &each;
    }
    keep_faster(each.solver.empty() ? place->second.products : place->second.solvers, each);
  }
  JsonArray array;
  for (const Key& key : order) array.add(to_json(entries.at(key)));
  return array.lines(4);
}

}  // namespace sparsecast::cli
