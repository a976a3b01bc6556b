#include "core/base/archives/zstd.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <cstdint>
#include <new>
#include <string>

#include "core/base/archives/gzip.hpp"
#include "core/base/archives/source_window.hpp"
#include "core/base/error.hpp"

namespace sparsecast {

bool is_zstd(std::string_view data) {
  return data.starts_with("\x28\xb5\x2f\xfd");
}

namespace {

/// Whether a frame begins here that zstd 1 writes, or one that it skips. Older ones, which
/// libraries may still read, ask for memory without bounds.
bool begins_frame(std::string_view data) {
  const bool skipped =
      data.size() >= 4 && (data[0] & '\xf0') == '\x50' && data.substr(1, 3) == "\x2a\x4d\x18";
  return is_zstd(data) || skipped;
}

}  // namespace

struct ZstdReader::State {
  ZSTD_DStream* stream = nullptr;
  SourceWindow rest;          ///< of the compressed data
  std::uint64_t allowed = 0;  ///< bytes that may yet come
  bool in_frame = false;
  std::string error;  ///< to be thrown when all before it is delivered

  explicit State(const ByteSource& compressed) : rest(compressed) {}

  /// Decompresses some bytes; returns how many.
  std::size_t decompress_some(char* out, std::size_t size) {
    constexpr std::size_t magic_bytes = 4;
    const std::string_view some = rest.next(in_frame ? 1 : magic_bytes);
    if (!in_frame && !begins_frame(some)) {
      error = "the zstd data is damaged (no frame begins where one must); expected an intact file";
      return 0;
    }
    ZSTD_outBuffer room{out, size, 0};
    ZSTD_inBuffer given{some.data(), some.size(), 0};
    const std::size_t result = ZSTD_decompressStream(stream, &room, &given);
    rest.skip(given.pos);
    if (ZSTD_isError(result)) {
      const std::string reason = ZSTD_getErrorName(result);
      error = ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge
                  ? "the zstd data needs a window of more than 128 MB, or more than it can fill; "
                    "expected data compressed without --long"
                  : "the zstd data is damaged (" + reason + "); expected an intact file";
      return room.pos;
    }
    in_frame = result != 0;
    if (room.pos > allowed) {
      error = "the zstd data expands to more than " + std::to_string(largest_gzip_ratio) +
              " times its size; expected a matrix";
      return 0;
    }
    allowed -= room.pos;
    if (in_frame && rest.left() == 0 && room.pos < room.size && given.pos == 0) {
      error = "the zstd data is truncated; expected its end";
    }
    return room.pos;
  }
};

ZstdReader::ZstdReader(const ByteSource& compressed) : state_(std::make_unique<State>(compressed)) {
  constexpr std::uint64_t spared = std::uint64_t{64} << 20;
  constexpr int usual_window = 25;    // 32 MB; `zstd -19` uses 8
  constexpr int largest_window = 27;  // 128 MB: what `zstd --ultra -22` uses
  State& state = *state_;
  const std::uint64_t fills = compressed.size() * largest_gzip_ratio;
  state.allowed = fills + spared;
  state.stream = ZSTD_createDStream();
  if (state.stream == nullptr) throw std::bad_alloc();
  int window = usual_window;
  while (window < largest_window && fills >= std::uint64_t{2} << window) ++window;
  ZSTD_DCtx_setParameter(state.stream, ZSTD_d_windowLogMax, window);
}

ZstdReader::~ZstdReader() {
  ZSTD_freeDStream(state_->stream);
}

std::size_t ZstdReader::read(char* out, std::size_t size) {
  State& state = *state_;
  std::size_t produced = 0;
  while (produced < size && state.error.empty() && (state.in_frame || state.rest.left() > 0)) {
    produced += state.decompress_some(out + produced, size - produced);
  }
  if (produced == 0 && !state.error.empty()) throw Error(state.error);
  return produced;
}

}  // namespace sparsecast
