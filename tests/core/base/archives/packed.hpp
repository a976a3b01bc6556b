#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace sparsecast {

/// A header of a tar archive with its checksum; `size`: the field as it stands there.
inline std::string tar_header(const std::string& name, const std::string& size, char type = '0') {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(124, size.size(), size);
  block[156] = type;
  block.replace(257, 5, "ustar");
  block.replace(263, 2, "00");
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  char digits[8];
  std::snprintf(digits, sizeof(digits), "%06o", sum);
  return block.replace(148, 7, digits, 7);
}

/// The content of a member, up to where the next header may begin.
inline std::string tar_padded(std::string content) {
  content.resize((content.size() + 511) / 512 * 512);
  return content;
}

inline const std::string tar_end(1024, '\0');

/// A tar archive of members, each a name and what is in it.
inline std::string tar_of(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string archive;
  for (const auto& [name, content] : members) {
    char digits[12];
    std::snprintf(digits, sizeof(digits), "%011zo", content.size());
    archive += tar_header(name, digits) + tar_padded(content);
  }
  return archive + tar_end;
}

/// A frame of Zstandard whose blocks hold the text as it is (RFC 8878, 3.1.1).
inline std::string zstd_frame(const std::string& text) {
  constexpr std::size_t block_bytes = 128 << 10;
  std::string frame("\x28\xb5\x2f\xfd\x00\x58", 6);  // a window of 2 MB, no size, no checksum
  for (std::size_t begin = 0;; begin += block_bytes) {
    const std::size_t size = std::min(block_bytes, text.size() - begin);
    const bool last = begin + size == text.size();
    const std::size_t header = size << 3 | (last ? 1u : 0u);
    for (int shift = 0; shift < 24; shift += 8) frame += static_cast<char>(header >> shift);
    frame.append(text, begin, size);
    if (last) return frame;
  }
}

}  // namespace sparsecast
