#include "core/matrix/files/market/parsed_text.hpp"

#include <algorithm>
#include <utility>

namespace sparsecast {
namespace {

/// The whole lines that begin at `begin` to `end - 1`, the last one with an end if the file leaves
/// it out. A line that no parser takes is cut.
std::string_view lines_between(const ByteSource& text, std::size_t begin, std::size_t end,
                               Buffer<char>& scratch) {
  // A line begins where the character before ends one.
  const std::size_t first = begin == 0 ? 0 : begin - 1;
  for (std::size_t more = 4096;; more *= 4) {
    const std::size_t read_to = std::min(end + more, text.size());
    std::string_view piece = text.view(first, read_to, scratch);
    const std::size_t from = begin == 0 ? 0 : piece.find('\n') + 1;
    if ((begin != 0 && from == 0) || first + from >= end) return {};
    const std::size_t last = piece.find('\n', end - first - 1);
    if (last != std::string_view::npos) return piece.substr(from, last + 1 - from);
    if (read_to < text.size() && more <= longest_line) continue;
    // Nobody needs the rest of what is too long already.
    if (piece.data() != scratch.data()) scratch.assign(piece.begin(), piece.end());
    scratch.push_back('\n');
    return std::string_view(scratch.data(), scratch.size()).substr(from);
  }
}

}  // namespace

StoredShape shape_of(const MatrixMarketHeader& header) {
  return {header.coordinate, header.field == MatrixMarketField::pattern,
          header.symmetry,   header.rows,
          header.columns,    header.stored_entries};
}

int market_threads(int wanted, std::size_t bytes) {
  const int most = wanted > 0 ? wanted : available_threads();
  return static_cast<int>(
      std::clamp<std::size_t>(bytes / market_chunk_bytes, 1, static_cast<std::size_t>(most)));
}

bool read_header(std::string_view& text, MatrixMarketHeaderReader& reader) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (reader.take_line(line)) return true;
  }
  return false;
}

void fail_without_size_line(MatrixMarketHeaderReader& reader) {
  if (reader.lines() == 0) reader.take_line("");  // throws: an empty file
  throw MalformedLine{
      reader.lines(),
      "the file ends before the size line; expected " +
          std::string(reader.header().coordinate ? "'rows columns entries'" : "'rows columns'")};
}

MarketBeginning read_beginning(const ByteSource& text) {
  Buffer<char> scratch;
  for (std::size_t size = market_chunk_bytes;; size *= 2) {
    const std::size_t end = std::min(size, text.size());
    const std::string_view beginning = text.view(0, end, scratch);
    std::string_view body = beginning;
    if (end < text.size()) {
      const std::size_t whole_lines = beginning.rfind('\n') + 1;
      if (whole_lines == 0 && end <= longest_line) continue;
      if (whole_lines != 0) body = beginning.substr(0, whole_lines);
    }
    const std::size_t before = body.size();
    MatrixMarketHeaderReader reader(beginning);
    if (read_header(body, reader)) {
      const std::size_t bytes = before - body.size();
      check_plausible(reader.header(), reader.lines(),
                      static_cast<std::int64_t>(text.size() - bytes));
      return {reader.header(), reader.lines(), bytes};
    }
    if (end == text.size()) fail_without_size_line(reader);
  }
}

void ParsedText::parse(std::size_t number, std::string_view text) {
  TextChunk chunk = parse_chunk(text, header_);
  const std::int64_t total = entries_.fetch_add(chunk.entries) + chunk.entries;
  if (chunk.malformed_line >= 0 || total > header_.stored_entries) failed_ = true;
  const std::lock_guard lock(mutex_);
  if (chunks_.size() <= number) chunks_.resize(number + 1);
  chunks_[number] = std::move(chunk);
}

PartCount ParsedText::count() const {
  PartCount count;
  for (const TextChunk& chunk : chunks_) {
    count.entries += chunk.entries;
    count.lines += chunk.lines;
  }
  return count;
}

std::vector<EntryChunk> ParsedText::take(const PartCount& before, bool to_end,
                                         const std::optional<std::string>& end) {
  std::int64_t entries = before.entries;
  std::int64_t lines = before.lines;
  for (const TextChunk& chunk : chunks_) {
    if (entries + chunk.entries > header_.stored_entries) {
      const std::int64_t surplus = chunk.line_of(header_.stored_entries - entries);
      throw MalformedLine{lines + surplus + 1,
                          "more entries than the " + std::to_string(header_.stored_entries) +
                              " that the size line announces; expected the end of the file"};
    }
    if (chunk.malformed_line >= 0) {
      throw MalformedLine{lines + chunk.malformed_line + 1, chunk.error};
    }
    entries += chunk.entries;
    lines += chunk.lines;
  }
  if (end) throw MalformedLine{std::max<std::int64_t>(lines, 1), *end};
  if (to_end && entries < header_.stored_entries) {
    throw MalformedLine{lines, "the file ends after " + std::to_string(entries) +
                                   (entries == 1 ? " entry" : " entries") + "; expected " +
                                   std::to_string(header_.stored_entries) +
                                   ", as the size line announces"};
  }
  std::vector<EntryChunk> taken;
  for (TextChunk& chunk : chunks_) taken.push_back(std::move(chunk));
  return taken;
}

void parse_lines(const ByteSource& text, std::size_t begin, std::size_t end, ParsedText& parsed,
                 ThreadTeam& team) {
  const std::size_t pieces = (end - begin + market_chunk_bytes - 1) / market_chunk_bytes;
  std::atomic<std::size_t> next{0};
  team.run([&](int) {
    Buffer<char> scratch;
    while (!parsed.failed()) {
      const std::size_t piece = next.fetch_add(1);
      if (piece >= pieces) return;
      const std::size_t first = begin + piece * market_chunk_bytes;
      parsed.parse(piece,
                   lines_between(text, first, std::min(first + market_chunk_bytes, end), scratch));
    }
  });
}

}  // namespace sparsecast
