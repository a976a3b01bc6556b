#include "core/base/archives/tar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast {
namespace {

constexpr std::size_t block_bytes = 512;
constexpr std::uint64_t largest_size = std::uint64_t{1} << 62;

/// A field of a header: where it begins and how long it is.
struct Field {
  std::size_t begin;
  std::size_t size;
};
constexpr Field name_field{0, 100};
constexpr Field size_field{124, 12};
constexpr Field checksum_field{148, 8};
constexpr std::size_t type_at = 156;
constexpr Field magic_field{257, 5};
constexpr Field prefix_field{345, 155};

std::string_view field_of(std::string_view header, Field field) {
  return header.substr(field.begin, field.size);
}

/// Text up to a zero byte.
std::string text_of(std::string_view header, Field field) {
  const std::string_view text = field_of(header, field);
  return std::string(text.substr(0, text.find('\0')));
}

/// Octal digits, with blanks before and blanks or zero bytes behind them.
std::optional<std::uint64_t> octal(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(first);
  const std::size_t end = std::min(text.find_first_of(std::string_view(" \0", 2)), text.size());
  if (text.find_first_not_of(std::string_view(" \0", 2), end) != std::string_view::npos) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + end, value, 8);
  if (error != std::errc() || last != text.data() + end) return std::nullopt;
  return value;
}

/// The size of a member: octal digits or, where the first bit is set, a binary number (GNU).
std::uint64_t size_of(std::string_view header) {
  const std::string_view text = field_of(header, size_field);
  std::optional<std::uint64_t> size;
  if ((static_cast<unsigned char>(text[0]) & 0x80) != 0) {
    std::uint64_t value = static_cast<unsigned char>(text[0]) & 0x7f;
    for (const char c : text.substr(1)) {
      if (value > largest_size >> 8) {
        value = largest_size + 1;
        break;
      }
      value = value << 8 | static_cast<unsigned char>(c);
    }
    size = value;
  } else {
    size = octal(text);
  }
  if (!size || *size > largest_size) {
    throw Error("the size in a header of the tar archive is no number; expected an intact archive");
  }
  return *size;
}

bool checksum_holds(std::string_view header) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < block_bytes; ++k) {
    const bool own = k >= checksum_field.begin && k < checksum_field.begin + checksum_field.size;
    sum += own ? ' ' : static_cast<unsigned char>(header[k]);
  }
  return octal(field_of(header, checksum_field)) == sum;
}

bool all_zero(std::string_view block) {
  return block.find_first_not_of('\0') == std::string_view::npos;
}

/// What a pax header says of the next member: records "LENGTH KEY=VALUE\n".
struct PaxRecords {
  std::optional<std::string> path;
  std::optional<std::uint64_t> size;
};

PaxRecords parse_pax(std::string_view text) {
  const auto fail = [] {
    throw Error("an extended header of the tar archive is damaged; expected an intact archive");
  };
  PaxRecords records;
  while (!text.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || digits >= text.size() || text[digits] != ' ' ||
        length <= digits + 1 || length > text.size() || text[length - 1] != '\n') {
      fail();
    }
    std::string_view value = text.substr(digits + 1, length - digits - 2);
    text.remove_prefix(length);
    const std::string_view key = take_until(value, '=');
    if (key == "path") records.path = std::string(value);
    if (key == "size") {
      std::uint64_t size = 0;
      const auto [last, wrong] = std::from_chars(value.data(), value.data() + value.size(), size);
      if (wrong != std::errc() || last != value.data() + value.size() || size > largest_size)
        fail();
      records.size = size;
    }
  }
  return records;
}

}  // namespace

bool is_tar(std::string_view data) {
  if (data.size() < block_bytes) return false;
  const std::string_view header = data.substr(0, block_bytes);
  return field_of(header, magic_field) == "ustar" || (!all_zero(header) && checksum_holds(header));
}

/// False at the end of the data.
bool TarReader::read_block(char* block) {
  std::size_t filled = 0;
  while (filled < block_bytes) {
    const std::size_t more = archive_.read(block + filled, block_bytes - filled);
    if (more == 0) break;
    filled += more;
  }
  if (filled == 0) return false;
  if (filled < block_bytes) throw Error("the tar archive is truncated; expected its end");
  return true;
}

std::size_t TarReader::read(char* out, std::size_t size) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, left_));
  if (wanted == 0) return 0;
  const std::size_t more = archive_.read(out, wanted);
  if (more == 0) throw Error("the tar archive is truncated; expected its end");
  left_ -= more;
  return more;
}

void TarReader::skip_rest() {
  std::vector<char> scratch(std::size_t{64} << 10);
  left_ += padding_;
  padding_ = 0;
  while (left_ > 0) read(scratch.data(), scratch.size());
}

/// The content of a header that describes the next one.
std::string TarReader::read_small(std::uint64_t size, const char* what) {
  constexpr std::uint64_t most = 1 << 16;
  if (size > most) {
    throw Error(std::string(what) + " of the tar archive takes " + std::to_string(size) +
                " bytes; expected at most " + std::to_string(most));
  }
  std::string text(size, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) filled += read(text.data() + filled, text.size() - filled);
  return text;
}

std::optional<TarMember> TarReader::next() {
  std::array<char, block_bytes> block{};
  const std::string_view header(block.data(), block.size());
  std::optional<std::string> long_name;
  PaxRecords pax;
  for (;;) {
    skip_rest();
    if (!read_block(block.data())) {
      throw Error("the tar archive ends without its end mark; expected all of it");
    }
    if (all_zero(header)) {
      // Whoever made the archive may have filled its last record; damage there is damage.
      while (read_block(block.data())) {
      }
      return std::nullopt;
    }
    if (!checksum_holds(header)) {
      throw Error("a header of the tar archive is damaged (checksum); expected an intact archive");
    }
    left_ = size_of(header);
    const char type = header[type_at];
    if ((type == '0' || type == '\0') && pax.size) left_ = *pax.size;
    if (type >= '1' && type <= '6') left_ = 0;  // links, devices and folders bring none
    padding_ = (block_bytes - left_ % block_bytes) % block_bytes;
    switch (type) {
      case 'L':
        long_name = read_small(left_, "a long name");
        long_name->resize(std::min(long_name->find('\0'), long_name->size()));
        continue;
      case 'x':
        pax = parse_pax(read_small(left_, "an extended header"));
        continue;
      case '0':
      case '\0': {
        std::string name = text_of(header, name_field);
        if (field_of(header, magic_field) == "ustar" && header[magic_field.begin + 5] == '\0') {
          const std::string prefix = text_of(header, prefix_field);
          if (!prefix.empty()) name = prefix + '/' + name;
        }
        if (long_name) name = *long_name;
        if (pax.path) name = *pax.path;
        // An old archive marks a folder by its name.
        if (!name.ends_with('/')) return TarMember{name, left_};
        break;
      }
      default:
        break;
    }
    long_name.reset();
    pax = {};
  }
}

}  // namespace sparsecast
