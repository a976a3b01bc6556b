#include "core/base/text/csv_cells.hpp"

#include <algorithm>

namespace sparsecast {

std::string csv_cell(const std::string& text) {
  const bool plain = text.find_first_of(",\"\n\r") == std::string::npos && !text.starts_with('#') &&
                     !text.starts_with(' ') && !text.ends_with(' ');
  if (plain) return text;
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

bool take_csv_line(std::string_view& text, std::string_view& line) {
  const bool comment = text.starts_with('#');
  bool inside = false;
  std::size_t end = 0;
  for (; end < text.size() && (inside || text[end] != '\n'); ++end) {
    if (text[end] == '"' && !comment) inside = !inside;
  }
  line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return !inside;
}

std::vector<std::string> split_csv_cells(std::string_view line, std::size_t most) {
  std::vector<std::string> cells(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && inside && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      inside = !inside;
    } else if (c == ',' && !inside && cells.size() < most) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace sparsecast
