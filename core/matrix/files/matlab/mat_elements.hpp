#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/matrix/files/binary_numbers.hpp"

/// @file
/// The elements that MATLAB files of level 5 are made of: a tag with type and size, then data,
/// padded to 8 bytes; small ones lie in their tag. Used by the reader.

namespace sparsecast {

/// Types of data ("MAT-File Format", table 1-1).
enum class MatType : std::uint32_t {
  int8 = 1,
  uint8 = 2,
  int16 = 3,
  uint16 = 4,
  int32 = 5,
  uint32 = 6,
  single = 7,
  double_ = 9,
  int64 = 12,
  uint64 = 13,
  matrix = 14,
  compressed = 15
};

/// An element in memory.
struct MatElement {
  MatType type = MatType::int8;
  std::string_view data;
};

/// A tag: what follows it, or lies in it.
struct MatTag {
  MatType type = MatType::int8;
  std::uint64_t data_at = 0;  ///< from the tag's beginning
  std::uint64_t bytes = 0;    ///< of the data
  std::uint64_t end = 0;      ///< of the element, with its padding
};

inline constexpr std::size_t mat_tag_bytes = 8;

/// Reads a tag, which must be whole. Throws `Error`.
MatTag read_mat_tag(std::string_view bytes, std::endian order);

/// Elements one after the other, as they lie in a matrix. Throws `Error` where one is damaged or
/// not whole; `where` names them in messages.
class MatElements {
 public:
  MatElements(std::string_view bytes, std::endian order, std::string where)
      : rest_(bytes), order_(order), where_(std::move(where)) {}

  bool at_end() const { return rest_.empty(); }
  /// The next element, which must be there.
  MatElement next(const char* what);

 private:
  std::string_view rest_;
  std::endian order_;
  std::string where_;
};

/// How the numbers of a type are stored; nothing for types that are not numbers.
std::optional<NumberType> number_type_of(MatType type, std::endian order);

}  // namespace sparsecast
