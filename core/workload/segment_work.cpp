#include "core/workload/segment_work.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/workload/segment_shape_text.hpp"

namespace sparsecast {
namespace {

constexpr std::array own_members{&SegmentWork::received, &SegmentWork::sent,
                                 &SegmentWork::interior_rows};

double parse_number(std::string_view part) {
  double number = 0;
  const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), number);
  if (status != std::errc{} || end != part.data() + part.size() || !std::isfinite(number)) {
    throw Error(in_quotes(part) + " is no number of a segment; expected nine, a ':' each");
  }
  return number;
}

}  // namespace

std::string to_text(std::span<const SegmentWork> segments) {
  std::string text;
  for (const SegmentWork& one : segments) {
    if (!text.empty()) text += ' ';
    text += to_text(one.shape) + ':';
    for (const auto member : own_members) text += number_text(one.*member) + ':';
    text += '@' + to_text(one.pattern) + '@' + to_text(GpuExecution{one.product, {}});
  }
  return text;
}

std::vector<SegmentWork> parse_segment_work(std::string_view text) {
  std::vector<SegmentWork> segments;
  while (!text.empty()) {
    std::string_view part = take_until(text, ' ');
    SegmentWork& one = segments.emplace_back();
    std::string_view numbers = take_until(part, '@');
    one.shape = take_segment_shape(numbers, parse_number);
    for (const auto member : own_members) one.*member = parse_number(take_until(numbers, ':'));
    if (!numbers.empty()) {
      throw Error(in_quotes(numbers) + " after the nine numbers of a segment");
    }
    one.pattern = parse_access_pattern(take_until(part, '@'));
    one.product = parse_gpu_execution(part).product;
  }
  return segments;
}

}  // namespace sparsecast
