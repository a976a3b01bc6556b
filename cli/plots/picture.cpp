#include "cli/plots/picture.hpp"

#include <algorithm>
#include <cstddef>

#include "cli/plots/gnuplot.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {

namespace {

std::string screen(double share) {
  return "screen " + format_number(share, "%.5f");
}

/// The title of a picture of this width, as gnuplot's string.
std::string title_lines(const std::string& text, int width) {
  constexpr int character = 8;
  return gnuplot_lines(text, static_cast<std::size_t>(width / character));
}

}  // namespace

std::string Picture::at(double x, double y) const {
  return screen(x / width) + ", " + screen(1 - y / height);
}

std::string Picture::margins(double left, double right, double top, double bottom) const {
  return "set lmargin at " + screen(left / width) + "\nset rmargin at " + screen(right / width) +
         "\nset tmargin at " + screen(1 - top / height) + "\nset bmargin at " +
         screen(1 - bottom / height) + "\n";
}

std::string Picture::key(double top, int rows) const {
  return "set key at " + at(width / 2.0, top + rows * key_row_height / 2.0) +
         " center vertical maxrows " + std::to_string(rows) +
         " samplen 1.5 width -1 Left reverse font ',12'\n";
}

std::string Picture::title(const std::string& text) const {
  return "set label 1 " + title_lines(text, width) + " at " + at(width / 2.0, 16) + " center\n";
}

int Picture::title_height(const std::string& text) const {
  const std::string lines = title_lines(text, width);
  constexpr int line_height = 18;
  int pixels = 10 + line_height;
  for (std::size_t at = 0; (at = lines.find("\\n", at)) != std::string::npos; at += 2) {
    // A backslash of the text itself is written as four.
    if (lines[at - 1] != '\\') pixels += line_height;
  }
  return pixels;
}

int key_rows(const std::vector<std::string>& entries, int width) {
  int widest = 0;
  for (const std::string& entry : entries) widest = std::max(widest, text_width(entry));
  constexpr int sample = 50;
  const int in_row = std::max(1, width / (sample + widest));
  return (static_cast<int>(entries.size()) + in_row - 1) / in_row;
}

int text_width(const std::string& text) {
  return 7 * static_cast<int>(text.size());
}

}  // namespace sparsecast::cli
