#include "cli/html/pattern_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/files/png_image.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast::cli {

std::string pattern_picture(const PatternView& pattern, int most_pixels) {
  const std::int64_t height = std::min<std::int64_t>(pattern.rows, most_pixels);
  const std::int64_t width = std::min<std::int64_t>(pattern.columns, most_pixels);
  std::vector<std::int64_t> entries(static_cast<std::size_t>(width * height), 0);
  parallel_for(height, 1, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t y = from; y < to; ++y) {
      const std::int64_t first = y * pattern.rows / height;
      const std::int64_t last = (y + 1) * pattern.rows / height;
      for (std::int64_t k = pattern.row_offsets[first]; k < pattern.row_offsets[last]; ++k) {
        const std::int64_t column = pattern.column_indices[static_cast<std::size_t>(k)];
        ++entries[static_cast<std::size_t>(y * width + column * width / pattern.columns)];
      }
    }
  });
  // A single entry can be seen; beyond that shades are logarithmic, as counts differ by orders of
  // magnitude.
  const std::int64_t most =
      entries.empty() ? 0 : std::max<std::int64_t>(*std::ranges::max_element(entries), 1);
  std::vector<std::uint8_t> opacity;
  constexpr double palest = 90;
  constexpr double black = 255;
  for (const std::int64_t count : entries) {
    const double share = most > 1 ? std::log(std::max<double>(static_cast<double>(count), 1)) /
                                        std::log(static_cast<double>(most))
                                  : 1;
    opacity.push_back(count == 0 ? 0
                                 : static_cast<std::uint8_t>(palest + (black - palest) * share));
  }
  return png_image(opacity, static_cast<int>(width));
}

}  // namespace sparsecast::cli
