#include "core/formats/hyb/hyb.hpp"

#include <algorithm>
#include <vector>

namespace sparsecast {

HybSplit paper_split(const PatternView& matrix, const Segment& segment) {
  const std::int64_t longest = longest_row(matrix, segment);
  const std::int64_t rows = segment.rows();
  // No third of the rows is longer than three times the mean.
  const std::int64_t most =
      std::min(longest, 3 * segment.nonzeros(matrix.row_offsets) / std::max<std::int64_t>(rows, 1));
  const auto length_of = [&](std::int64_t row) {
    return matrix.row_offsets[row + 1] - matrix.row_offsets[row];
  };
  std::vector<std::int64_t> rows_of_length(static_cast<std::size_t>(most) + 1);
  for (std::int64_t row = segment.begin_row; row < segment.end_row; ++row) {
    ++rows_of_length[static_cast<std::size_t>(std::min(length_of(row), most))];
  }
  HybSplit split;
  std::int64_t longer = rows;  // than the width
  while (split.width < most) {
    longer -= rows_of_length[static_cast<std::size_t>(split.width)];
    if (3 * longer < rows) break;
    ++split.width;
  }
  for (std::int64_t row = segment.begin_row; row < segment.end_row; ++row) {
    split.rest += std::max<std::int64_t>(0, length_of(row) - split.width);
  }
  return split;
}

template <class T>
HybMatrix<T> convert_to_hyb(const CsrView<T>& matrix, const Segment& segment, std::int64_t width,
                            int threads) {
  return {convert_to_ell(matrix, segment, width, threads),
          convert_to_coo(matrix, segment, width, threads)};
}

SegmentShape hyb_shape(double rows, double columns, double width, double rest) {
  const SegmentShape ell = ell_shape(rows, columns, width);
  const SegmentShape coo = coo_shape(rows, columns, rest);
  SegmentShape shape = ell;
  shape.elements += coo.elements;
  shape.blocks += coo.blocks;
  if (shape.blocks > 0) {
    shape.index_bytes =
        (ell.index_bytes * ell.blocks + coo.index_bytes * coo.blocks) / shape.blocks;
  }
  return shape;
}

template HybMatrix<float> convert_to_hyb(const CsrView<float>&, const Segment&, std::int64_t, int);
template HybMatrix<double> convert_to_hyb(const CsrView<double>&, const Segment&, std::int64_t,
                                          int);

}  // namespace sparsecast
