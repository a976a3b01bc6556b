#include "core/matrix/files/matlab/mat_elements.hpp"

#include <algorithm>

#include "core/base/byte_order.hpp"
#include "core/base/error.hpp"

namespace sparsecast {

MatTag read_mat_tag(std::string_view bytes, std::endian order) {
  if (bytes.size() < mat_tag_bytes) {
    throw Error("an element of the MATLAB file is truncated; expected its tag");
  }
  const auto first = number_at<std::uint32_t>(bytes.data(), order);
  MatTag tag;
  if (const std::uint32_t small = first >> 16; small != 0) {
    tag.type = static_cast<MatType>(first & 0xffff);
    tag.bytes = small;
    tag.data_at = 4;
    tag.end = mat_tag_bytes;
    if (small > 4) {
      throw Error("an element of the MATLAB file is damaged; expected at most 4 bytes in its tag");
    }
    return tag;
  }
  tag.type = static_cast<MatType>(first);
  tag.bytes = number_at<std::uint32_t>(bytes.data() + 4, order);
  tag.data_at = mat_tag_bytes;
  tag.end = mat_tag_bytes + tag.bytes;
  // What is compressed is not padded.
  if (tag.type != MatType::compressed) tag.end = (tag.end + 7) / 8 * 8;
  return tag;
}

MatElement MatElements::next(const char* what) {
  if (rest_.empty()) {
    throw Error(where_ + ": " + what + " is missing; expected an intact MATLAB file");
  }
  MatTag tag;
  try {
    tag = read_mat_tag(rest_, order_);
  } catch (const Error& error) {
    throw Error(where_ + ": " + what + ": " + error.what());
  }
  if (tag.data_at + tag.bytes > rest_.size()) {
    throw Error(where_ + ": " + what + " takes " + std::to_string(tag.bytes) +
                " bytes, more than are left; expected an intact MATLAB file");
  }
  const MatElement element{tag.type, rest_.substr(tag.data_at, tag.bytes)};
  rest_.remove_prefix(std::min<std::uint64_t>(tag.end, rest_.size()));
  return element;
}

std::optional<NumberType> number_type_of(MatType type, std::endian order) {
  using enum NumberType::Kind;
  switch (type) {
    case MatType::int8:
      return NumberType{signed_integer, 1, order};
    case MatType::uint8:
      return NumberType{unsigned_integer, 1, order};
    case MatType::int16:
      return NumberType{signed_integer, 2, order};
    case MatType::uint16:
      return NumberType{unsigned_integer, 2, order};
    case MatType::int32:
      return NumberType{signed_integer, 4, order};
    case MatType::uint32:
      return NumberType{unsigned_integer, 4, order};
    case MatType::int64:
      return NumberType{signed_integer, 8, order};
    case MatType::uint64:
      return NumberType{unsigned_integer, 8, order};
    case MatType::single:
      return NumberType{floating, 4, order};
    case MatType::double_:
      return NumberType{floating, 8, order};
    case MatType::matrix:
    case MatType::compressed:
      break;
  }
  return std::nullopt;
}

}  // namespace sparsecast
