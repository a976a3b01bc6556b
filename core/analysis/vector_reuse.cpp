#include "core/analysis/vector_reuse.hpp"

#include "core/workload/access_pattern.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

std::vector<VectorReuse> vector_reuse(const MatrixFeatures& features, const MatrixAccess& access) {
  std::vector<VectorReuse> all;
  if (features.nonzeros == 0) return all;
  const auto reuse = [&](std::int64_t rows, Precision precision) {
    const AccessPattern pattern = access.pattern(Layout{}, precision);
    return static_cast<double>(features.nonzeros) /
           distinct_sectors(pattern, static_cast<double>(rows));
  };
  const auto add = [&](std::int64_t window, std::int64_t rows) {
    all.push_back({rows, reuse(window, Precision::f32), reuse(window, Precision::f64)});
  };
  for (const std::int64_t window : {1, 32, 1024, 32768}) {
    if (window < features.rows) add(window, window);
  }
  add(std::int64_t{1} << 31, features.rows);
  return all;
}

JsonArray to_json(const std::vector<VectorReuse>& reuse) {
  JsonArray array;
  for (const auto& [rows, f32, f64] : reuse) {
    array.add(JsonObject{{"rows", rows}, {"f32", f32}, {"f64", f64}});
  }
  return array;
}

}  // namespace sparsecast
