#include "core/formats/format.hpp"

#include <map>
#include <string>
#include <vector>

#include "core/formats/known_count.hpp"
#include "core/formats/pkt/pkt.hpp"

/// @file
/// Packets (`packet_geometry`), for comparisons: nothing forecasts them.

namespace sparsecast {

extern const Format pkt_format;

namespace {

std::string packets_name(const Layout& layout) {
  return "number of packets of " + to_string(layout);
}
std::string values_name(const Layout& layout) {
  return "number of values in packets of " + to_string(layout);
}
std::string rest_name(const Layout& layout) {
  return "number of entries outside packets of " + to_string(layout);
}

std::map<std::string, double> count(const PatternView& matrix, const Segment& segment,
                                    const Layout& layout, int threads, const CudaPolicy&) {
  const PacketSize size = packet_size(matrix, segment, packet_clusters(matrix, segment, layout),
                                      packet_geometry(layout).lanes, threads);
  return {{packets_name(layout), static_cast<double>(size.packets)},
          {values_name(layout), static_cast<double>(size.values)},
          {rest_name(layout), static_cast<double>(size.rest)}};
}

PacketSize known_size(const PatternNumbers& numbers, const Layout& layout) {
  const auto known = [&](const std::string& name) {
    return static_cast<std::int64_t>(known_count(numbers, layout, name));
  };
  return {known(packets_name(layout)), known(values_name(layout)), known(rest_name(layout))};
}

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  return packet_shape(numbers.rows, numbers.columns, known_size(numbers, layout), layout);
}

std::string refusal_of(const PatternNumbers& numbers, const Layout& layout) {
  return packet_refusal(static_cast<std::int64_t>(numbers.nonzeros), known_size(numbers, layout));
}

}  // namespace

const Format pkt_format{
    .name = "pkt",
    .layouts =
        [] {
          std::vector<Layout> layouts;
          for (const char* variant : {"", "1000", "500", "given"}) {
            layouts.push_back({.format = "pkt", .variant = variant});
          }
          return layouts;
        },
    .count = count,
    .shape = shape_of,
    .refusal = refusal_of,
    .weights = [](const PatternView& matrix, const Layout&) { return matrix.row_offsets.copy(); }};

}  // namespace sparsecast
