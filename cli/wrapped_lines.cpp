#include "cli/wrapped_lines.hpp"

#include "core/base/text/text_fields.hpp"

namespace sparsecast::cli {

std::string wrapped_lines(std::string_view lines, std::size_t most, std::string_view end,
                          std::string_view indent) {
  std::string text;
  while (!lines.empty()) {
    std::string line(take_until(lines, '\n'));
    while (line.size() > most) {
      const std::size_t space = line.rfind(' ', most - end.size());
      if (space == std::string::npos || space <= indent.size()) break;
      ((text += line.substr(0, space)) += end) += '\n';
      line.replace(0, space + 1, indent);
    }
    (text += line) += '\n';
  }
  return text;
}

}  // namespace sparsecast::cli
