#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/buffer.hpp"

/// @file
/// Arrays of numbers as binary files hold them, converted to what a matrix takes, on several
/// threads. What cannot be taken throws `Error` that names the first such number: "WHERE: number 17
/// (from 0) is ...; expected ...".

namespace sparsecast {

/// How a number is stored: integers of 1, 2, 4 or 8 bytes, floating-point numbers of 4 or 8.
struct NumberType {
  enum class Kind { signed_integer, unsigned_integer, floating };
  Kind kind = Kind::floating;
  std::size_t bytes = 8;
  std::endian order = std::endian::little;
};

/// Values: they must be finite, integers at most 2^53 in magnitude. `bytes` holds as many numbers
/// as `out`; `first`: the number of the first one.
void convert_values(std::string_view bytes, NumberType type, std::span<double> out,
                    const std::string& where, int threads, std::int64_t first = 0);

/// Indices, each from `least` to `most`. The type must be one of integers.
void convert_indices(std::string_view bytes, NumberType type, std::int64_t least, std::int64_t most,
                     std::span<std::int32_t> out, const std::string& where, int threads,
                     std::int64_t first = 0);

/// Offsets of rows (or columns) among `entries` entries: the first is 0, none falls, none is larger
/// than `entries`.
Buffer<std::int64_t> convert_offsets(std::string_view bytes, NumberType type, std::int64_t entries,
                                     const std::string& where, int threads);

}  // namespace sparsecast
