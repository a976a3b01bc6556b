#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/archives/compressed.hpp"
#include "core/base/archives/gzip.hpp"
#include "core/base/error.hpp"
#include "core/base/files/input_file.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/matrix/files/assembly.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/files/market/matrix_market_chunk.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"

namespace sparsecast {
namespace {

/// Text parsed at once: its lines and entries stay in a core's second cache.
constexpr std::size_t chunk_bytes = std::size_t{256} << 10;

/// Of text that comes compressed: what its entries may take, and comments and the header with them.
constexpr std::uint64_t text_bytes_per_entry = 128;
constexpr std::uint64_t spared_bytes = std::uint64_t{64} << 20;

/// All entries of a file as they are parsed, piece by piece and in any order.
class ParsedText {
 public:
  explicit ParsedText(const MatrixMarketHeader& header) : header_(header) {}

  /// Parses a piece and keeps what it holds. Pieces are numbered in the file's order and begun in
  /// that order.
  void parse(std::size_t number, std::string_view text) {
    TextChunk chunk = parse_chunk(text, header_);
    const std::int64_t total = entries_.fetch_add(chunk.entries) + chunk.entries;
    if (chunk.malformed_line >= 0 || total > header_.stored_entries) failed_ = true;
    const std::lock_guard lock(mutex_);
    if (chunks_.size() <= number) chunks_.resize(number + 1);
    chunks_[number] = std::move(chunk);
  }

  /// No further piece is needed: there is an error in one of those that are begun.
  bool failed() const { return failed_; }

  /// The chunks, once all are there. `lines_before`: of banner to size line. Throws `MalformedLine`
  /// for the first thing that is wrong.
  std::vector<EntryChunk> take(std::int64_t lines_before, const std::optional<std::string>& end) {
    std::int64_t entries = 0;
    std::int64_t lines = lines_before;
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
    if (entries < header_.stored_entries) {
      throw MalformedLine{lines, "the file ends after " + std::to_string(entries) +
                                     (entries == 1 ? " entry" : " entries") + "; expected " +
                                     std::to_string(header_.stored_entries) +
                                     ", as the size line announces"};
    }
    std::vector<EntryChunk> taken;
    for (TextChunk& chunk : chunks_) taken.push_back(std::move(chunk));
    return taken;
  }

 private:
  const MatrixMarketHeader& header_;
  std::atomic<std::int64_t> entries_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::vector<TextChunk> chunks_;
};

/// Takes lines off the front of the text until the header is complete; false if the text ends
/// first.
bool read_header(std::string_view& text, MatrixMarketHeaderReader& reader) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (reader.take_line(line)) return true;
  }
  return false;
}

[[noreturn]] void fail_without_size_line(MatrixMarketHeaderReader& reader) {
  if (reader.lines() == 0) reader.take_line("");  // throws: an empty file
  throw MalformedLine{
      reader.lines(),
      "the file ends before the size line; expected " +
          std::string(reader.header().coordinate ? "'rows columns entries'" : "'rows columns'")};
}

int threads_for(const MatrixFileOptions& options, std::size_t bytes) {
  const int wanted = options.threads > 0 ? options.threads : available_threads();
  return static_cast<int>(
      std::clamp<std::size_t>(bytes / chunk_bytes, 1, static_cast<std::size_t>(wanted)));
}

MatrixMarketFile assemble(std::vector<EntryChunk> chunks, const MatrixMarketHeader& header,
                          const MatrixFileOptions& options, ThreadTeam& team) {
  const bool pattern = header.field == MatrixMarketField::pattern;
  const StoredShape shape{header.coordinate, pattern,        header.symmetry,
                          header.rows,       header.columns, header.stored_entries};
  auto [matrix, duplicates] = assemble_entries(chunks, shape, options.drop_explicit_zeros, team);
  return {{std::move(matrix), header.symmetry, pattern, duplicates}, header};
}

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

/// Reads the header; returns where the text after it begins.
std::size_t read_header(const ByteSource& text, std::optional<MatrixMarketHeaderReader>& reader,
                        Buffer<char>& scratch) {
  for (std::size_t size = chunk_bytes;; size *= 2) {
    const std::size_t end = std::min(size, text.size());
    const std::string_view beginning = text.view(0, end, scratch);
    std::string_view body = beginning;
    if (end < text.size()) {
      const std::size_t whole_lines = beginning.rfind('\n') + 1;
      if (whole_lines == 0 && end <= longest_line) continue;
      if (whole_lines != 0) body = beginning.substr(0, whole_lines);
    }
    const std::size_t before = body.size();
    reader.emplace(beginning);
    if (read_header(body, *reader)) return before - body.size();
    if (end == text.size()) fail_without_size_line(*reader);
  }
}

MatrixMarketFile parse_plain(const ByteSource& text, const MatrixFileOptions& options) {
  Buffer<char> beginning;
  std::optional<MatrixMarketHeaderReader> reader;
  const std::size_t body = read_header(text, reader, beginning);
  const MatrixMarketHeader header = reader->header();
  const std::size_t body_bytes = text.size() - body;
  check_plausible(header, reader->lines(), static_cast<std::int64_t>(body_bytes));

  const std::size_t pieces = (body_bytes + chunk_bytes - 1) / chunk_bytes;
  ThreadTeam team(threads_for(options, body_bytes));
  ParsedText parsed(header);
  std::atomic<std::size_t> next{0};
  team.run([&](int) {
    Buffer<char> scratch;
    while (!parsed.failed()) {
      const std::size_t piece = next.fetch_add(1);
      if (piece >= pieces) return;
      const std::size_t begin = body + piece * chunk_bytes;
      parsed.parse(piece,
                   lines_between(text, begin, std::min(begin + chunk_bytes, text.size()), scratch));
    }
  });
  return assemble(parsed.take(reader->lines(), std::nullopt), header, options, team);
}

/// Text that comes bit by bit, in blocks of whole lines, each with its end.
class StreamedLines {
 public:
  explicit StreamedLines(ByteStream& text) : text_(text) {}

  /// From now on the text may take this many bytes more.
  void allow(std::uint64_t bytes) { allowed_ = bytes; }

  /// Fills the next block; leaves it empty at the end or where the data is damaged.
  void next(Buffer<char>& block) {
    block.assign(carry_.begin(), carry_.end());
    carry_.clear();
    for (;;) {
      const std::size_t before = block.size();
      block.resize(before + chunk_bytes);
      const std::size_t more = read(block.data() + before, chunk_bytes);
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

  /// Why the data ended early, if it did.
  const std::optional<std::string>& error() const { return error_; }

  /// After a malformed line: is it the compressed data that is damaged? Looks a limited way ahead.
  void check_rest() {
    constexpr std::size_t furthest = std::size_t{256} << 20;
    allowed_ = 2 * furthest;
    Buffer<char> scratch(chunk_bytes);
    for (std::size_t size = 0; size < furthest;) {
      const std::size_t more = read(scratch.data(), scratch.size());
      if (more == 0) return;
      size += more;
    }
  }

 private:
  std::size_t read(char* out, std::size_t size) {
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

  ByteStream& text_;
  std::uint64_t allowed_ = spared_bytes;
  std::string carry_;
  std::optional<std::string> error_;
};

struct Block {
  std::size_t number = 0;
  Buffer<char> text;

  std::string_view view() const { return {text.data(), text.size()}; }
};

/// Blocks on their way from the thread that decompresses to those that parse, and their empty
/// buffers on the way back.
class BlockQueue {
 public:
  explicit BlockQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Adds a block at the end; if the queue is full then, returns the first one for the caller.
  std::optional<Block> push(Block block) {
    std::optional<Block> first;
    {
      const std::lock_guard lock(mutex_);
      blocks_.push_back(std::move(block));
      if (blocks_.size() > capacity_) {
        first = std::move(blocks_.front());
        blocks_.pop_front();
      }
    }
    changed_.notify_one();
    return first;
  }
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }
  /// The next block; nothing once the queue is closed and empty.
  std::optional<Block> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !blocks_.empty(); });
    if (blocks_.empty()) return std::nullopt;
    std::optional<Block> first = std::move(blocks_.front());
    blocks_.pop_front();
    return first;
  }

  void give_back(Block block) {
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(block.text));
  }
  Buffer<char> take_spare() {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return {};
    Buffer<char> text = std::move(spare_.back());
    spare_.pop_back();
    return text;
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> blocks_;
  std::vector<Buffer<char>> spare_;
  bool closed_ = false;
};

/// `most_bytes`: what the text takes at most.
MatrixMarketFile parse_stream(ByteStream& text, std::uint64_t most_bytes,
                              const MatrixFileOptions& options) {
  StreamedLines source(text);
  Block block;
  source.next(block.text);
  const std::string beginning(block.view().substr(0, 4096));
  MatrixMarketHeaderReader reader(beginning);
  std::string_view body = block.view();
  try {
    while (!read_header(body, reader)) {
      source.next(block.text);
      if (block.text.empty()) {
        if (source.error()) {
          throw MalformedLine{std::max<std::int64_t>(reader.lines(), 1), *source.error()};
        }
        fail_without_size_line(reader);
      }
      body = block.view();
    }
    check_plausible(reader.header(), reader.lines(),
                    static_cast<std::int64_t>(std::min<std::uint64_t>(
                        most_bytes, std::numeric_limits<std::int64_t>::max())));
    source.allow(spared_bytes + text_bytes_per_entry * reader.header().stored_entries);
  } catch (const MalformedLine& malformed) {
    source.check_rest();
    if (source.error()) throw MalformedLine{malformed.line, *source.error()};
    throw;
  }
  const MatrixMarketHeader& header = reader.header();
  block.text.erase(block.text.begin(), block.text.end() - static_cast<std::ptrdiff_t>(body.size()));

  // The first thread decompresses, the others parse; it helps them when they fall behind, and
  // when it is alone.
  ThreadTeam team(threads_for(options, most_bytes / 64));
  ParsedText parsed(header);
  BlockQueue queue(team.size() == 1 ? 0 : 2 * static_cast<std::size_t>(team.size()));
  team.run([&](int thread) {
    const auto parse = [&](Block next) {
      parsed.parse(next.number, next.view());
      queue.give_back(std::move(next));
    };
    try {
      if (thread == 0) {
        if (block.text.empty()) source.next(block.text);
        for (std::size_t number = 0; !block.text.empty() && !parsed.failed(); ++number) {
          if (auto first = queue.push({number, std::move(block.text)})) parse(std::move(*first));
          block.text = queue.take_spare();
          source.next(block.text);
        }
        queue.close();
      }
      while (!parsed.failed()) {
        auto next = queue.pop();
        if (!next) break;
        parse(std::move(*next));
      }
    } catch (...) {
      queue.close();
      throw;
    }
  });
  if (parsed.failed()) source.check_rest();
  std::vector<EntryChunk> chunks = [&] {
    try {
      return parsed.take(reader.lines(), source.error());
    } catch (const MalformedLine& malformed) {
      // A line that damage made: name the damage.
      if (source.error()) throw MalformedLine{malformed.line, *source.error()};
      throw;
    }
  }();
  return assemble(std::move(chunks), header, options, team);
}

/// Calls `parse`; what it throws gets the file's name, and the line.
template <class Parse>
MatrixMarketFile parse_named(const std::string& name, const Parse& parse) {
  try {
    return parse();
  } catch (const MalformedLine& malformed) {
    throw Error(name + ":" + std::to_string(malformed.line) + ": " + malformed.what);
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  } catch (const std::bad_alloc&) {
    throw Error(name + ": the matrix does not fit into memory; expected a smaller one");
  }
}

MatrixMarketFile parse_bytes(const ByteSource& bytes, const MatrixFileOptions& options) {
  Buffer<char> scratch;
  constexpr std::size_t magic_bytes = 4;
  const std::string_view magic = bytes.view(0, std::min(bytes.size(), magic_bytes), scratch);
  if (!is_compressed(magic)) return parse_plain(bytes, options);
  const std::string_view compressed = bytes.view(0, bytes.size(), scratch);
  const std::unique_ptr<ByteStream> text = open_compressed(compressed);
  return parse_stream(*text, compressed.size() * largest_gzip_ratio, options);
}

}  // namespace

MatrixMarketFile parse_matrix_market(const ByteSource& bytes, const std::string& name,
                                     const MatrixFileOptions& options) {
  return parse_named(name, [&] { return parse_bytes(bytes, options); });
}

MatrixMarketFile parse_matrix_market(std::string_view text, const std::string& name,
                                     const MatrixFileOptions& options) {
  return parse_matrix_market(MemoryBytes(text), name, options);
}

MatrixMarketFile parse_matrix_market(ByteStream& text, std::uint64_t most_bytes,
                                     const std::string& name, const MatrixFileOptions& options) {
  return parse_named(name, [&] { return parse_stream(text, most_bytes, options); });
}

MatrixMarketFile read_matrix_market(const std::filesystem::path& path,
                                    const MatrixFileOptions& options) {
  return parse_named(path.string(), [&] {
    const InputFile file(path, "a Matrix Market file");
    try {
      MatrixMarketFile matrix = parse_bytes(FileBytes(file), options);
      file.check_unchanged();
      return matrix;
    } catch (const MalformedLine&) {
      file.check_unchanged();  // else who changed it is to blame
      throw;
    }
  });
}

}  // namespace sparsecast
