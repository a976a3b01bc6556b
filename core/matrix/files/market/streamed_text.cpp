#include "core/matrix/files/market/streamed_text.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/matrix/files/market/matrix_market_chunk.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"

namespace sparsecast {
namespace {

std::string_view view_of(const Buffer<char>& text) {
  return {text.data(), text.size()};
}

/// Where a line of a block begins; one past the last: where the block ends.
std::size_t begin_of_line(std::string_view block, std::int64_t line) {
  std::size_t at = 0;
  for (; line > 0; --line) at = block.find('\n', at) + 1;
  return at;
}

struct Block {
  std::size_t number = 0;
  Buffer<char> text;
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

}  // namespace

StreamedText::StreamedText(ByteStream& stream, std::uint64_t most_bytes)
    : lines_(stream), most_bytes_(most_bytes), parsed_(header_) {
  try {
    read_header_lines();
  } catch (const MalformedLine& malformed) {
    lines_.check_rest();
    if (lines_.error()) throw MalformedLine{malformed.line, *lines_.error()};
    throw;
  }
}

void StreamedText::read_header_lines() {
  lines_.next(block_);
  const std::string beginning(view_of(block_).substr(0, 4096));
  MatrixMarketHeaderReader reader(beginning);
  std::string_view body = view_of(block_);
  while (!read_header(body, reader)) {
    lines_.next(block_);
    if (block_.empty()) {
      if (lines_.error()) {
        throw MalformedLine{std::max<std::int64_t>(reader.lines(), 1), *lines_.error()};
      }
      fail_without_size_line(reader);
    }
    body = view_of(block_);
  }
  header_ = reader.header();
  header_lines_ = reader.lines();
  check_plausible(header_, header_lines_,
                  static_cast<std::int64_t>(std::min<std::uint64_t>(
                      most_bytes_, std::numeric_limits<std::int64_t>::max())));
  lines_.allow_entries(header_.stored_entries);
  block_.erase(block_.begin(), block_.end() - static_cast<std::ptrdiff_t>(body.size()));
}

void StreamedText::skip_rest() {
  lines_.skip_rest();
}

int StreamedText::threads(int wanted) const {
  constexpr std::uint64_t usual_share = 64;  // hardly any text takes the most that it may
  return market_threads(wanted, most_bytes_ / usual_share);
}

/// Fills the block with the next lines that are wanted; false where there are no more.
bool StreamedText::next_block(const LineRange& wanted) {
  while (wanted.begin < wanted.end && passed_ < wanted.end) {
    if (block_.empty()) lines_.next(block_);
    if (block_.empty()) return false;
    if (passed_ >= wanted.begin && wanted.end == LineRange::to_the_end) return true;
    const std::int64_t first = passed_;
    const std::int64_t count = count_lines(view_of(block_));
    passed_ += count;
    if (passed_ > wanted.begin) {
      if (wanted.end < passed_) {
        block_.resize(begin_of_line(view_of(block_), wanted.end - first));
      }
      const std::size_t begin =
          begin_of_line(view_of(block_), std::max<std::int64_t>(wanted.begin - first, 0));
      block_.erase(block_.begin(), block_.begin() + static_cast<std::ptrdiff_t>(begin));
      return true;
    }
    block_.clear();
  }
  return false;
}

void StreamedText::parse(const LineRange& lines, ThreadTeam& team) {
  // The first thread decompresses, the others parse; it helps them when they fall behind, and
  // when it is alone.
  BlockQueue queue(team.size() == 1 ? 0 : 2 * static_cast<std::size_t>(team.size()));
  team.run([&](int thread) {
    const auto parse_block = [&](Block next) {
      parsed_.parse(next.number, view_of(next.text));
      queue.give_back(std::move(next));
    };
    try {
      if (thread == 0) {
        for (std::size_t number = 0; !parsed_.failed() && next_block(lines); ++number) {
          auto first = queue.push({number, std::move(block_)});
          if (first) parse_block(std::move(*first));
          block_ = queue.take_spare();
          block_.clear();
        }
        queue.close();
      }
      while (!parsed_.failed()) {
        auto next = queue.pop();
        if (!next) break;
        parse_block(std::move(*next));
      }
    } catch (...) {
      queue.close();
      throw;
    }
  });
  block_ = {};
  if (parsed_.failed()) lines_.check_rest();
}

std::vector<EntryChunk> StreamedText::take(const PartCount& before, bool to_end) {
  try {
    return parsed_.take({before.entries, header_lines_ + before.lines}, to_end, lines_.error());
  } catch (const MalformedLine& malformed) {
    // A line that damage made: name the damage.
    if (lines_.error()) throw MalformedLine{malformed.line, *lines_.error()};
    throw;
  }
}

}  // namespace sparsecast
