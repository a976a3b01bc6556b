#include "cli/reports/printable.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <ostream>
#include <streambuf>

namespace sparsecast::cli {

namespace {

/// Bytes of the UTF-8 character that the text begins with; 0 if it begins with none (RFC 3629:
/// shortest forms only, no surrogates, at most U+10FFFF).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(k) & 0x3fu);
  }
  const bool shortest = length == 2 || code >= (length == 3 ? 0x800u : 0x10000u);
  return shortest && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? length : 0;
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  // C1 controls are U+0080 to U+009F.
  return first < 0x20 || first == 0x7f ||
         (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
}

/// `kept`: control characters that stay.
std::string escaped(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::size_t taken = length == 0 ? 1 : length;
    const bool stays = length == 1 && kept.find(text.front()) != std::string_view::npos;
    if (stays || (length != 0 && !is_control(text.substr(0, length)))) {
      result += text.substr(0, length);
    } else {
      for (const char c : text.substr(0, taken)) {
        std::array<char, 8> code{};
        std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned char>(c));
        result += code.data();
      }
    }
    text.remove_prefix(taken);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return escaped(text, "\n\t");
}

std::string printable_line(std::string_view text) {
  return escaped(text, "");
}

/// Collects a line, so that no character is cut, and passes it on. Threads may warn at once.
class PrintableStream::Filter : public std::streambuf {
 public:
  explicit Filter(std::streambuf* to) : to_(to) {}

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const std::lock_guard lock(mutex_);
    line_ += traits_type::to_char_type(c);
    return line_.back() != '\n' || pass_on() ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    const std::lock_guard lock(mutex_);
    line_.append(text, static_cast<std::size_t>(count));
    return line_.find('\n') == std::string::npos || pass_on() ? count : 0;
  }
  int sync() override {
    const std::lock_guard lock(mutex_);
    return pass_on() && to_->pubsync() == 0 ? 0 : -1;
  }

 private:
  bool pass_on() {
    const std::string text = printable(line_);
    line_.clear();
    const auto size = static_cast<std::streamsize>(text.size());
    return to_->sputn(text.data(), size) == size;
  }

  std::mutex mutex_;
  std::streambuf* to_;
  std::string line_;
};

PrintableStream::PrintableStream(std::ostream& stream)
    : stream_(stream), filter_(std::make_unique<Filter>(stream.rdbuf())), before_(stream.rdbuf()) {
  stream_.rdbuf(filter_.get());
}

PrintableStream::~PrintableStream() {
  stream_.flush();
  stream_.rdbuf(before_);
}

}  // namespace sparsecast::cli
