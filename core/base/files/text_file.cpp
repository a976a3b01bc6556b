#include "core/base/files/text_file.hpp"

#include <algorithm>
#include <utility>

#include "core/base/archives/gzip.hpp"
#include "core/base/error.hpp"
#include "core/base/files/byte_source.hpp"

namespace sparsecast {

namespace fs = std::filesystem;

namespace {

/// Errors are "LINE: what; what was expected".
std::string decompressed(std::string_view compressed, std::size_t largest) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  const MemoryBytes bytes(compressed);
  GzipReader reader(bytes);
  std::string text;
  const auto fail = [&](const std::string& what) {
    throw Error(std::to_string(1 + std::ranges::count(text, '\n')) + ": " + what);
  };
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    std::size_t more = 0;
    try {
      more = reader.read(text.data() + before, piece);
    } catch (const Error& error) {
      text.resize(before);
      fail(error.what());
    }
    text.resize(before + more);
    if (more == 0) break;
    if (text.size() > largest) {
      fail("more than " + std::to_string(largest >> 20) + " MiB; expected a smaller file");
    }
  }
  if (is_gzip(text)) throw Error("1: the file is compressed twice; expected text");
  return text;
}

}  // namespace

std::string read_text(const fs::path& path, std::size_t largest) {
  std::string content = read_file(path, largest);
  if (!is_gzip(content)) return content;
  try {
    return decompressed(content, largest);
  } catch (const Error& error) {
    throw Error(path.string() + ':' + error.what());
  }
}

std::string text_for(const fs::path& path, std::string text) {
  return path.extension() == ".gz" ? gzip_member(text) : std::move(text);
}

}  // namespace sparsecast
