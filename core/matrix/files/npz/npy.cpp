#include "core/matrix/files/npz/npy.hpp"

#include <bit>
#include <charconv>
#include <limits>
#include <string>

#include "core/base/byte_order.hpp"
#include "core/base/error.hpp"
#include "core/matrix/files/text_tokens.hpp"

namespace sparsecast {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_dimensions = 4;

[[noreturn]] void fail(const std::string& what) {
  throw Error(what + "; expected an array as numpy.save writes it");
}

/// The header's text, a Python dictionary of three known keys, piece by piece.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : text_(text) {}

  /// Takes this character, with blanks before it; false if another one comes.
  bool take(char c) {
    skip_blanks();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void require(char c) {
    if (!take(c)) fail("the header of the array is damaged");
  }
  /// A text between apostrophes, without escapes.
  std::string_view quoted() {
    require('\'');
    const std::size_t end = text_.find_first_of("'\\");
    if (end == std::string_view::npos || text_[end] != '\'') {
      fail("the header of the array is damaged");
    }
    const std::string_view content = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return content;
  }
  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>("True", true),
                                      std::pair<std::string_view, bool>("False", false)}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    fail("the header of the array is damaged");
  }
  std::int64_t size() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("a size in the header of the array is damaged");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  bool next_is(char c) {
    skip_blanks();
    return !text_.empty() && text_.front() == c;
  }
  bool at_end() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) {
      text_.remove_prefix(1);
    }
    return text_.empty();
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }
  std::string_view text_;
};

/// "<f8": order, kind, bytes.
void parse_descr(std::string_view descr, NpyHeader& header) {
  const auto refuse = [&](const std::string& what) {
    throw Error("the array holds " + what + " (" + quote(descr) +
                "); expected real numbers of 1 to 8 bytes");
  };
  if (descr.find('O') != std::string_view::npos) refuse("Python objects");
  if (descr.size() < 3) refuse("a type that is unknown here");
  const char order = descr[0];
  if (order == '<' || (order == '|')) {
    header.type.order = std::endian::little;
  } else if (order == '>') {
    header.type.order = std::endian::big;
  } else if (order == '=') {
    header.type.order = std::endian::native;
  } else {
    refuse("a type that is unknown here");
  }
  std::size_t size = 0;
  const char* const last = descr.data() + descr.size();
  const auto [end, error] = std::from_chars(descr.data() + 2, last, size);
  if (error != std::errc() || end != last || size == 0) refuse("a type that is unknown here");
  header.type.bytes = size;
  const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
  switch (descr[1]) {
    case 'f':
      header.type.kind = NumberType::Kind::floating;
      if (size != 4 && size != 8) refuse("numbers of half or extended precision");
      break;
    case 'i':
      header.type.kind = NumberType::Kind::signed_integer;
      if (!whole) refuse("a type that is unknown here");
      break;
    case 'u':
      header.type.kind = NumberType::Kind::unsigned_integer;
      if (!whole) refuse("a type that is unknown here");
      break;
    case 'b':
      header.type.kind = NumberType::Kind::unsigned_integer;
      if (size != 1) refuse("a type that is unknown here");
      break;
    case 'c':
      throw Error("complex values are not supported (" + quote(descr) + "); expected real ones");
    case 'S':
      header.content = NpyHeader::Content::bytes;
      break;
    case 'U':
      header.content = NpyHeader::Content::unicode;
      if (size > npy_header_bytes) refuse("a long text");
      header.type.bytes = 4 * size;
      break;
    default:
      refuse("a type that is unknown here");
  }
}

void parse_shape(HeaderText& text, NpyHeader& header) {
  text.require('(');
  while (!text.take(')')) {
    header.shape.push_back(text.size());
    if (header.shape.size() > most_dimensions) fail("the array has too many dimensions");
    if (!text.take(',') && (header.shape.size() == 1 || !text.next_is(')'))) {
      fail("the shape of the array is damaged");
    }
  }
}

}  // namespace

std::int64_t NpyHeader::count() const {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) product *= size;
  return product;
}

NpyHeader parse_npy_header(std::string_view beginning, std::uint64_t file_bytes) {
  constexpr std::size_t version_at = magic.size();
  if (beginning.size() < version_at + 4 || !beginning.starts_with(magic)) {
    fail("this is no array of NumPy");
  }
  const auto version = static_cast<unsigned char>(beginning[version_at]);
  if (version < 1 || version > 3 || beginning[version_at + 1] != 0) {
    fail("the array is of version " + std::to_string(version) + " of NumPy's format, not 1 to 3");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t text_at = version_at + 2 + length_bytes;
  if (beginning.size() < text_at) fail("the header of the array is truncated");
  const char* const length_at = beginning.data() + version_at + 2;
  const std::size_t length = version == 1
                                 ? number_at<std::uint16_t>(length_at, std::endian::little)
                                 : number_at<std::uint32_t>(length_at, std::endian::little);
  if (length > npy_header_bytes - text_at) fail("the header of the array is longer than any");
  if (beginning.size() < text_at + length) fail("the header of the array is truncated");

  NpyHeader header;
  header.begin = text_at + length;
  HeaderText text(beginning.substr(text_at, length));
  bool has_descr = false;
  bool has_order = false;
  bool has_shape = false;
  const auto first = [&](bool& has) {
    if (has) fail("the header of the array names a key twice");
    has = true;
  };
  text.require('{');
  while (!text.take('}')) {
    const std::string_view key = text.quoted();
    text.require(':');
    if (key == "descr") {
      first(has_descr);
      if (text.next_is('[')) {
        throw Error("the array holds records; expected real numbers of 1 to 8 bytes");
      }
      parse_descr(text.quoted(), header);
    } else if (key == "fortran_order") {
      first(has_order);
      header.fortran_order = text.boolean();
    } else if (key == "shape") {
      first(has_shape);
      parse_shape(text, header);
    } else {
      fail("the header of the array has a key " + quote(key));
    }
    if (!text.take(',') && !text.next_is('}')) fail("the header of the array is damaged");
  }
  if (!text.at_end() || !has_descr || !has_order || !has_shape) {
    fail("the header of the array is damaged");
  }

  // The elements fill the file, which is there: their number cannot overflow.
  std::uint64_t bytes = header.type.bytes;
  for (const std::int64_t size : header.shape) {
    const auto factor = static_cast<std::uint64_t>(size);
    if (factor != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / factor) {
      fail("the array is larger than any memory");
    }
    bytes *= factor;
  }
  if (bytes != file_bytes - header.begin) {
    fail("the array of " + std::to_string(bytes) + " bytes takes " +
         std::to_string(file_bytes - header.begin));
  }
  return header;
}

}  // namespace sparsecast
