#include "core/matrix/files/market/streamed_lines.hpp"

#include <string_view>

#include "core/base/error.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"
#include "core/matrix/files/market/parsed_text.hpp"

namespace sparsecast {
namespace {

/// Of text that comes compressed: what its entries may take.
constexpr std::uint64_t text_bytes_per_entry = 128;

}  // namespace

void StreamedLines::allow_entries(std::int64_t entries) {
  allowed_ = spared_bytes + text_bytes_per_entry * static_cast<std::uint64_t>(entries);
}

void StreamedLines::next(Buffer<char>& block) {
  block.assign(carry_.begin(), carry_.end());
  carry_.clear();
  for (;;) {
    const std::size_t before = block.size();
    block.resize(before + market_chunk_bytes);
    const std::size_t more = read(block.data() + before, market_chunk_bytes);
    block.resize(before + more);
    if (more == 0) break;
    const std::string_view text(block.data(), block.size());
    if (const std::size_t lines_end = text.rfind('\n') + 1; lines_end != 0) {
      carry_ = text.substr(lines_end);
      block.resize(lines_end);
      return;
    }
    if (block.size() > longest_line) {  // the parser will say so
      block.push_back('\n');
      return;
    }
  }
  // The last line gets an end; but what damage cuts off is not blamed on the line.
  if (error_) block.clear();
  if (!block.empty()) block.push_back('\n');
}

void StreamedLines::skip_rest() {
  if (error_) return;
  Buffer<char> scratch(market_chunk_bytes);
  while (read(scratch.data(), scratch.size()) > 0) continue;
  error_.reset();
}

void StreamedLines::check_rest() {
  constexpr std::size_t furthest = std::size_t{256} << 20;
  allowed_ = 2 * furthest;
  Buffer<char> scratch(market_chunk_bytes);
  for (std::size_t size = 0; size < furthest;) {
    const std::size_t more = read(scratch.data(), scratch.size());
    if (more == 0) return;
    size += more;
  }
}

std::size_t StreamedLines::read(char* out, std::size_t size) {
  if (error_) return 0;
  try {
    const std::size_t more = text_.read(out, size);
    if (more > allowed_) {
      throw Error("the text expands to far more than its entries need; expected at most " +
                  std::to_string(text_bytes_per_entry) + " bytes an entry");
    }
    allowed_ -= more;
    return more;
  } catch (const Error& error) {
    error_ = error.what();
    return 0;
  }
}

}  // namespace sparsecast
