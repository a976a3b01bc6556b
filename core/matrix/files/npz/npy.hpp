#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/matrix/files/binary_numbers.hpp"

namespace sparsecast {

/// What an array of NumPy says of itself (NumPy's "NPY format", versions 1.0 to 3.0). Of types
/// there are numbers, booleans and short texts; never objects, which would be pickles.
struct NpyHeader {
  enum class Content { numbers, bytes, unicode };
  Content content = Content::numbers;
  NumberType type;  ///< of numbers; of a text its bytes, and their order
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t begin = 0;  ///< where the numbers begin

  std::int64_t count() const;  ///< of the elements
};

/// The most that a header takes here.
inline constexpr std::size_t npy_header_bytes = 4096;

/// Reads the header from the beginning of an array's file, whose size is `file_bytes`: the elements
/// must fill the rest exactly. Throws `Error` ("what; what was expected"), also for complex
/// numbers, objects, records, dates and half or extended precision.
NpyHeader parse_npy_header(std::string_view beginning, std::uint64_t file_bytes);

}  // namespace sparsecast
