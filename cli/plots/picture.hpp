#pragma once

#include <string>
#include <vector>

namespace sparsecast::cli {

/// A picture of several panels, for which gnuplot's own layouts leave too much or too little room:
/// where things are in pixels from its upper left corner, as gnuplot commands.
struct Picture {
  int width = 0;
  int height = 0;

  /// "screen 0.5, screen 0.9".
  std::string at(double x, double y) const;
  /// The frame of the next panel.
  std::string margins(double left, double right, double top, double bottom) const;
  /// A key in the middle of the picture whose first row is at `top`.
  std::string key(double top, int rows) const;

  /// The title of all panels as label 1, in as many rows as it needs.
  std::string title(const std::string& text) const;
  /// Of those rows, in pixels.
  int title_height(const std::string& text) const;
};

/// A key of so many rows in a picture of this width: entries as wide as the longest.
int key_rows(const std::vector<std::string>& entries, int width);
/// Of a row of a key, in pixels.
inline constexpr int key_row_height = 18;

/// The room of a text of 12 pixels a character's height, in pixels.
int text_width(const std::string& text);

}  // namespace sparsecast::cli
