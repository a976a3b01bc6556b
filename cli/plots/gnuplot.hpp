#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace sparsecast::cli {

/// Draws with gnuplot into a file whose ending says the kind: .svg, .png or .pdf. `script` holds
/// gnuplot commands without `set terminal` and `set output` (inline data as `$name << EOD`). Sizes
/// of fonts in it are pixels of the picture, 14 unless told otherwise. The file appears whole or
/// not at all. Throws `Error` for other endings, when gnuplot is not installed (names the Debian
/// package) and with gnuplot's own first message when it fails.
void draw_with_gnuplot(const std::filesystem::path& file, const std::string& script,
                       int width_pixels = 900, int height_pixels = 600);

/// Does the name end as one of a picture?
bool can_be_drawn(const std::filesystem::path& file);

/// Throws what `draw_with_gnuplot` would throw for the name of the file, or without gnuplot. Before
/// long work, so that its drawing is not lost.
void check_can_draw(const std::filesystem::path& file);

/// A text as a gnuplot string literal that is drawn as it is written: quotes, backslashes and what
/// enhanced text takes for markup (`_`, `^`, `{`) are escaped, control characters are blanks. Every
/// name that others gave goes through here; long ones are cut before (`brief`).
std::string gnuplot_quote(const std::string& text);

/// The same for a label in a list of tics, which gnuplot takes for a format of numbers.
std::string gnuplot_tic_label(const std::string& text);

/// The same in lines of at most so many characters, broken at blanks; longer words are cut.
std::string gnuplot_lines(const std::string& text, std::size_t characters);

}  // namespace sparsecast::cli
