#include "core/analysis/partition.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/base/error.hpp"
#include "core/base/threads/split_by_weight.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {

template <class T>
std::vector<Segment> partition(const CsrView<T>& matrix, const Layout& layout, int devices,
                               int row_alignment) {
  if (row_alignment < 1) {
    throw Error("segments aligned to " + std::to_string(row_alignment) +
                " rows; expected a positive number");
  }
  const std::int64_t block_size = layout.block_size;
  const std::int64_t unit = std::lcm(block_size, std::int64_t{row_alignment});  // rows
  const std::int64_t units = (matrix.rows + unit - 1) / unit;
  std::vector<std::int64_t> boundaries;
  if (devices == 1) {
    boundaries = {0, units};
  } else {
    const Buffer<std::int64_t> stored_before = format_of(layout).weights(matrix.pattern(), layout);
    const auto groups = static_cast<std::int64_t>(stored_before.size()) - 1;
    Buffer<std::int64_t> weights(static_cast<std::size_t>(units) + 1);
    for (std::int64_t k = 0; k <= units; ++k) {
      weights[k] = stored_before[std::min(k * (unit / block_size), groups)];
    }
    boundaries = split_by_weight(weights, devices);
  }
  const auto row = [&](std::int64_t boundary) { return std::min(boundary * unit, matrix.rows); };
  std::vector<Segment> segments;
  for (std::size_t device = 0; device + 1 < boundaries.size(); ++device) {
    segments.push_back({row(boundaries[device]), row(boundaries[device + 1])});
  }
  return segments;
}

template std::vector<Segment> partition(const CsrView<float>&, const Layout&, int, int);
template std::vector<Segment> partition(const CsrView<double>&, const Layout&, int, int);

}  // namespace sparsecast
