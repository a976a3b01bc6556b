#include "predict/forecast/matrix_segments.hpp"

#include "core/analysis/partition.hpp"
#include "core/analysis/segment_numbers.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {

std::vector<SegmentShape> MatrixSegments::operator()(const Layout& layout, int devices) {
  const Format& format = format_of(layout);
  std::vector<SegmentShape> shapes;
  for (const PatternNumbers& segment : numbers(layout, devices)) {
    shapes.push_back(format.shape(segment, layout));
  }
  return shapes;
}

const std::vector<PatternNumbers>& MatrixSegments::numbers(const Layout& layout, int devices) {
  const auto [place, first] = numbers_.try_emplace({layout, devices});
  std::vector<PatternNumbers>& numbers = place->second;
  if (!first) return numbers;
  OrderedMatrix& order = orders_.on(devices);
  if (devices == 1) {
    numbers.push_back(matrix_numbers(order.matrix().pattern(), order.features(), layout, {}));
    return numbers;
  }
  for (const Segment& segment : partition(order.matrix(), layout, devices)) {
    numbers.push_back(segment_numbers(order.matrix().pattern(), segment, layout));
  }
  return numbers;
}

}  // namespace sparsecast
