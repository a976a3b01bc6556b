#pragma once

#include <filesystem>
#include <string>

namespace sparsecast::cli {

/// Draws with gnuplot into a file whose ending says the kind: .svg, .png or .pdf. `script` holds
/// gnuplot commands without `set terminal` and `set output` (inline data as `$name << EOD`). The
/// file appears whole or not at all. Throws `Error` for other endings, when gnuplot is not
/// installed (names the Debian package) and with gnuplot's own first message when it fails.
void draw_with_gnuplot(const std::filesystem::path& file, const std::string& script,
                       int width_pixels = 900, int height_pixels = 600);

/// Does the name end as one of a picture?
bool can_be_drawn(const std::filesystem::path& file);

/// Throws what `draw_with_gnuplot` would throw for the name of the file, or without gnuplot. Before
/// long work, so that its drawing is not lost.
void check_can_draw(const std::filesystem::path& file);

/// A text as a gnuplot string literal; apostrophes become typographical ones.
std::string gnuplot_quote(const std::string& text);

}  // namespace sparsecast::cli
