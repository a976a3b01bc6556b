#include "cli/commands/bench/formats/format_parts.hpp"

#include <algorithm>

#include "cli/reports/table.hpp"

namespace sparsecast::cli {

std::string matrix_label(const FormatMeasurement& m) {
  std::string label = m.matrix;
  if (m.scale != 1) label += " x " + format_number(m.scale, "%g");
  const bool is_file = m.source != "generated" && m.source != "stand-in";
  return is_file ? label + " (" + m.source + ")" : label;
}

std::string layout_label(const FormatMeasurement& m) {
  for (const char* family : {"sell", "bcsr"}) {
    if (m.layout.starts_with(family)) return family;
  }
  return m.layout;
}

std::string FormatPart::title() const {
  return device + ", " + std::string(to_string(precision)) +
         (x == "l2" ? ", vector past the L1 cache" : "");
}

const FormatMeasurement* FormatPart::best(const std::string& matrix,
                                          const std::string& layout) const {
  const FormatMeasurement* best = nullptr;
  for (const FormatMeasurement* m : measurements) {
    if (!m->measured() || matrix_label(*m) != matrix || layout_label(*m) != layout) continue;
    if (best == nullptr || m->seconds < best->seconds) best = m;
  }
  return best;
}

std::vector<FormatPart> format_parts(std::span<const FormatMeasurement> measurements) {
  std::vector<FormatPart> parts;
  for (const FormatMeasurement& m : measurements) {
    auto part = std::ranges::find_if(parts, [&](const FormatPart& each) {
      return each.device == m.description && each.precision == m.precision && each.x == m.x;
    });
    if (part == parts.end()) {
      parts.push_back({m.description, m.precision, m.x, {}});
      part = parts.end() - 1;
    }
    part->measurements.push_back(&m);
  }
  return parts;
}

}  // namespace sparsecast::cli
