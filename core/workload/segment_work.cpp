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

/// Three numbers of each.
std::string neighbours_text(std::span<const Neighbour> neighbours) {
  std::string text;
  for (const Neighbour& each : neighbours) {
    text += (text.empty() ? "" : ":") + std::to_string(each.device) + ':' +
            number_text(each.received) + ':' + number_text(each.sent);
  }
  return text;
}

std::vector<Neighbour> parse_neighbours(std::string_view text) {
  std::vector<Neighbour> neighbours;
  while (!text.empty()) {
    const std::string_view device = take_until(text, ':');
    Neighbour& one = neighbours.emplace_back();
    const auto [end, status] =
        std::from_chars(device.data(), device.data() + device.size(), one.device);
    if (status != std::errc{} || end != device.data() + device.size() || one.device < 0) {
      throw Error(in_quotes(device) + " is no device beside a segment's");
    }
    one.received = parse_number(take_until(text, ':'));
    one.sent = parse_number(take_until(text, ':'));
  }
  return neighbours;
}

}  // namespace

std::string to_text(std::span<const SegmentWork> segments) {
  std::string text;
  for (const SegmentWork& one : segments) {
    if (!text.empty()) text += ' ';
    text += to_text(one.shape) + ':';
    for (const auto member : own_members) text += number_text(one.*member) + ':';
    text += '@' + to_text(one.pattern) + '@' + to_text(GpuExecution{one.product, {}});
    if (!one.neighbours.empty()) text += '@' + neighbours_text(one.neighbours);
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
    one.product = parse_gpu_execution(take_until(part, '@')).product;
    one.neighbours = parse_neighbours(part);
  }
  return segments;
}

}  // namespace sparsecast
