#include "core/base/archives/gzip.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>

#include "core/base/archives/source_window.hpp"
#include "core/base/error.hpp"

namespace sparsecast {
namespace {

constexpr int raw_deflate = -15;      // zlib's way to say: neither a header nor a checksum
constexpr int compression_level = 6;  // as gzip's own default
constexpr std::size_t trailer_bytes = 8;

constexpr const char* truncated = "the gzip data is truncated; expected its end with a checksum";

std::string damaged(const char* where) {
  return std::string("the gzip data is damaged (") + where + "); expected an intact file";
}

/// RFC 1952: the length of a member's header; nothing if it goes on behind the data. Throws `Error`
/// if it is none.
std::optional<std::size_t> header_length(std::string_view data) {
  enum Flags : unsigned { header_crc = 2, extra = 4, name = 8, comment = 16, reserved = 0xe0 };
  constexpr std::size_t fixed_part = 10;
  if (data.size() < fixed_part) return std::nullopt;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(data[at]); };
  const unsigned flags = byte(3);
  if (byte(2) != Z_DEFLATED || (flags & reserved) != 0) throw Error(damaged("unknown method"));
  std::size_t at = fixed_part;
  if ((flags & extra) != 0) {
    if (data.size() < at + 2) return std::nullopt;
    at += 2 + byte(at) + 256u * byte(at + 1);
  }
  for (const unsigned text : {name, comment}) {
    if ((flags & text) == 0) continue;
    const std::size_t end = data.find('\0', std::min(at, data.size()));
    if (end == std::string_view::npos) return std::nullopt;
    at = end + 1;
  }
  if ((flags & header_crc) != 0) at += 2;
  if (at > data.size()) return std::nullopt;
  return at;
}

/// The same of what comes next, which must be whole.
std::size_t next_header_length(SourceWindow& data) {
  for (std::size_t wanted = 1024;; wanted *= 4) {
    const std::string_view beginning = data.next(wanted);
    if (const auto length = header_length(beginning)) return *length;
    if (beginning.size() == data.left()) throw Error(truncated);
  }
}

}  // namespace

bool is_gzip(std::string_view data) {
  return data.starts_with("\x1f\x8b");
}

// zlib decompresses, because it can do it in pieces; libdeflate's checksum is many times faster.
struct GzipReader::State {
  z_stream stream{};
  SourceWindow rest;  ///< of the compressed data
  bool in_member = false;
  bool finished = false;
  std::uint32_t checksum = 0;  ///< of the member so far
  std::uint32_t length = 0;    ///< of the member so far, modulo 2^32
  std::string error;           ///< to be thrown when all before it is delivered

  explicit State(const ByteSource& compressed) : rest(compressed) {}

  void begin_member() {
    rest.skip(next_header_length(rest));
    if (inflateReset(&stream) != Z_OK) throw std::bad_alloc();
    in_member = true;
    checksum = 0;
    length = 0;
  }

  void end_member() {
    const std::string_view trailer = rest.next(trailer_bytes);
    if (trailer.size() < trailer_bytes) throw Error(truncated);
    const auto little_endian = [&](std::size_t at) {
      std::uint32_t value = 0;
      for (std::size_t k = 4; k-- > 0;) {
        value = value << 8 | static_cast<unsigned char>(trailer[at + k]);
      }
      return value;
    };
    if (little_endian(0) != checksum) throw Error(damaged("incorrect checksum"));
    if (little_endian(4) != length) throw Error(damaged("incorrect length"));
    rest.skip(trailer_bytes);
    in_member = false;
    if (rest.left() == 0) {
      finished = true;
    } else if (!is_gzip(rest.next(2))) {
      throw Error(std::to_string(rest.left()) +
                  " bytes that are no gzip data follow the compressed text; expected its end");
    }
  }

  /// Decompresses some bytes of a member; returns how many.
  std::size_t inflate_some(char* out, std::size_t size) {
    constexpr std::size_t largest = std::numeric_limits<uInt>::max() / 2;
    const std::string_view some = rest.next(1);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(some.data()));
    stream.avail_in = static_cast<uInt>(std::min(some.size(), largest));
    stream.next_out = reinterpret_cast<Bytef*>(out);
    stream.avail_out = static_cast<uInt>(std::min(size, largest));
    const uInt given = stream.avail_in;
    const uInt room = stream.avail_out;
    const int result = inflate(&stream, Z_NO_FLUSH);
    rest.skip(given - stream.avail_in);
    const std::size_t produced = room - stream.avail_out;
    checksum = libdeflate_crc32(checksum, out, produced);
    length += static_cast<std::uint32_t>(produced);
    try {
      if (result == Z_STREAM_END) {
        end_member();
      } else if (result == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        throw Error(damaged(stream.msg != nullptr ? stream.msg : "unknown code"));
      } else if (rest.left() == 0 && stream.avail_out != 0) {
        throw Error(truncated);
      }
    } catch (const Error& reason) {
      error = reason.what();
    }
    return produced;
  }
};

GzipReader::GzipReader(const ByteSource& compressed) : state_(std::make_unique<State>(compressed)) {
  if (inflateInit2(&state_->stream, raw_deflate) != Z_OK) throw std::bad_alloc();
}

GzipReader::~GzipReader() {
  inflateEnd(&state_->stream);
}

std::size_t GzipReader::read(char* out, std::size_t size) {
  State& state = *state_;
  std::size_t produced = 0;
  while (produced < size && !state.finished && state.error.empty()) {
    if (!state.in_member) {
      try {
        state.begin_member();
      } catch (const Error& reason) {
        state.error = reason.what();
        break;
      }
    }
    produced += state.inflate_some(out + produced, size - produced);
  }
  if (produced == 0 && !state.error.empty()) throw Error(state.error);
  return produced;
}

std::string gzip_member(std::string_view text) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(compression_level), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string member(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  member.resize(libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), member.data(),
                                         member.size()));
  return member;
}

}  // namespace sparsecast
