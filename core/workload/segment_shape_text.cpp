#include "core/workload/segment_shape_text.hpp"

#include <array>

#include "core/base/text/text_fields.hpp"

namespace sparsecast {
namespace {

constexpr std::array members{&SegmentShape::unknowns,   &SegmentShape::total_unknowns,
                             &SegmentShape::elements,   &SegmentShape::blocks,
                             &SegmentShape::block_rows, &SegmentShape::index_bytes};
constexpr double usual_offset_bytes = SegmentShape{}.offset_bytes;

}  // namespace

std::string to_text(const SegmentShape& shape) {
  std::string text;
  for (const auto member : members) {
    if (member != members.front()) text += ':';
    text += number_text(shape.*member);
  }
  if (shape.offset_bytes != usual_offset_bytes) text += '/' + number_text(shape.offset_bytes);
  return text;
}

SegmentShape take_segment_shape(std::string_view& text, double (*parse)(std::string_view)) {
  SegmentShape shape;
  for (const auto member : members) {
    std::string_view piece = take_until(text, ':');
    const bool with_offsets = member == members.back() && piece.find('/') != std::string_view::npos;
    shape.*member = parse(with_offsets ? take_until(piece, '/') : piece);
    if (with_offsets) shape.offset_bytes = parse(piece);
  }
  return shape;
}

}  // namespace sparsecast
