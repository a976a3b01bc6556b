#include "core/gzip.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "core/error.hpp"

namespace sparsecast {
namespace {

constexpr int gzip_window_bits = 15 + 16;  // zlib's way to say: gzip header and trailer, not zlib's
constexpr int compression_level = 6;       // as gzip's own default

}  // namespace

bool is_gzip(std::string_view data) {
  return data.starts_with("\x1f\x8b");
}

struct GzipReader::State {
  z_stream stream{};
  std::string_view rest;  ///< not yet given to zlib
  bool member_done = false;
  bool finished = false;
  std::string error;  ///< to be thrown when all before it is delivered

  bool refill() {
    if (stream.avail_in != 0 || rest.empty()) return stream.avail_in != 0;
    const std::size_t size =
        std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max() / 2);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream.avail_in = static_cast<uInt>(size);
    rest.remove_prefix(size);
    return true;
  }
  std::size_t remaining() const { return stream.avail_in + rest.size(); }
};

GzipReader::GzipReader(std::string_view compressed) : state_(std::make_unique<State>()) {
  state_->rest = compressed;
  if (inflateInit2(&state_->stream, gzip_window_bits) != Z_OK) throw std::bad_alloc();
}

GzipReader::~GzipReader() {
  inflateEnd(&state_->stream);
}

std::size_t GzipReader::read(char* out, std::size_t size) {
  State& state = *state_;
  z_stream& stream = state.stream;
  size = std::min<std::size_t>(size, std::numeric_limits<uInt>::max() / 2);
  stream.next_out = reinterpret_cast<Bytef*>(out);
  stream.avail_out = static_cast<uInt>(size);
  while (stream.avail_out != 0 && !state.finished && state.error.empty()) {
    const bool has_input = state.refill();
    if (state.member_done) {
      if (!has_input) {
        state.finished = true;
        break;
      }
      // A gzip file may hold several members; what follows the last must be another one.
      if (stream.next_in[0] != 0x1f) {
        state.error = std::to_string(state.remaining()) +
                      " bytes that are no gzip data follow the compressed text; expected its end";
        break;
      }
      inflateReset(&stream);
      state.member_done = false;
    }
    const int result = inflate(&stream, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      state.member_done = true;
    } else if (result == Z_BUF_ERROR || (result == Z_OK && stream.avail_in == 0)) {
      if (state.rest.empty() && stream.avail_out != 0) {
        state.error = "the gzip data is truncated; expected its end with a checksum";
      }
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK) {
      state.error = std::string("the gzip data is damaged (") +
                    (stream.msg != nullptr ? stream.msg : "preset dictionary") +
                    "); expected an intact file";
    }
  }
  const std::size_t produced = size - stream.avail_out;
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
