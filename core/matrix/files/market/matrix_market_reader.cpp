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
#include "core/matrix/files/market/matrix_market_lines.hpp"
#include "core/matrix/files/market/parsed_text.hpp"

namespace sparsecast {
namespace {

/// Of text that comes compressed: what its entries may take, and comments and the header with them.
constexpr std::uint64_t text_bytes_per_entry = 128;
constexpr std::uint64_t spared_bytes = std::uint64_t{64} << 20;

MatrixMarketFile assemble(std::vector<EntryChunk> chunks, const MatrixMarketHeader& header,
                          const MatrixFileOptions& options, ThreadTeam& team) {
  const bool pattern = header.field == MatrixMarketField::pattern;
  const StoredShape shape{header.coordinate, pattern,        header.symmetry,
                          header.rows,       header.columns, header.stored_entries};
  auto [matrix, duplicates] = assemble_entries(chunks, shape, options.drop_explicit_zeros, team);
  return {{std::move(matrix), header.symmetry, pattern, duplicates}, header};
}

MatrixMarketFile parse_plain(const ByteSource& text, const MatrixFileOptions& options) {
  const MarketBeginning beginning = read_beginning(text);
  const MatrixMarketHeader& header = beginning.header;
  ThreadTeam team(market_threads(options.threads, text.size() - beginning.bytes));
  ParsedText parsed(header);
  parse_lines(text, beginning.bytes, text.size(), parsed, team);
  return assemble(parsed.take({0, beginning.lines}, true, std::nullopt), header, options, team);
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

  /// Why the data ended early, if it did.
  const std::optional<std::string>& error() const { return error_; }

  /// After a malformed line: is it the compressed data that is damaged? Looks a limited way ahead.
  void check_rest() {
    constexpr std::size_t furthest = std::size_t{256} << 20;
    allowed_ = 2 * furthest;
    Buffer<char> scratch(market_chunk_bytes);
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
  ThreadTeam team(market_threads(options.threads, most_bytes / 64));
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
      return parsed.take({0, reader.lines()}, true, source.error());
    } catch (const MalformedLine& malformed) {
      // A line that damage made: name the damage.
      if (source.error()) throw MalformedLine{malformed.line, *source.error()};
      throw;
    }
  }();
  return assemble(std::move(chunks), header, options, team);
}

/// `with_file_name`, also where memory does not suffice.
template <class Parse>
MatrixMarketFile parse_named(const std::string& name, const Parse& parse) {
  try {
    return with_file_name(name, parse);
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
