#include "core/formats/hyb/hyb.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sparsecast {

namespace {

/// How many of a segment's rows have how many entries.
class RowLengths {
 public:
  /// Rows of more than `most` entries, which is the width that no rule goes beyond, count as rows
  /// of so many.
  RowLengths(const PatternView& matrix, const Segment& segment, std::int64_t most)
      : rows_of_length_(static_cast<std::size_t>(most) + 1) {
    for (std::int64_t row = segment.begin_row; row < segment.end_row; ++row) {
      const std::int64_t length = matrix.row_offsets[row + 1] - matrix.row_offsets[row];
      ++rows_of_length_[static_cast<std::size_t>(std::min(length, most))];
    }
  }
  std::int64_t most() const { return std::ssize(rows_of_length_) - 1; }
  std::int64_t rows_of(std::int64_t length) const {
    return rows_of_length_[static_cast<std::size_t>(length)];
  }

 private:
  std::vector<std::int64_t> rows_of_length_;
};

}  // namespace

HybSplit paper_split(const PatternView& matrix, const Segment& segment) {
  const std::int64_t longest = longest_row(matrix, segment);
  const std::int64_t rows = segment.rows();
  const std::int64_t nonzeros = segment.nonzeros(matrix.row_offsets);
  // No third of the rows is longer than three times the mean.
  const RowLengths lengths(matrix, segment,
                           std::min(longest, 3 * nonzeros / std::max<std::int64_t>(rows, 1)));
  HybSplit split{0, nonzeros};
  std::int64_t longer = rows;  // than the width
  while (split.width < lengths.most()) {
    longer -= lengths.rows_of(split.width);
    if (3 * longer < rows) break;
    ++split.width;
    split.rest -= longer;
  }
  return split;
}

double hyb_cost(std::int64_t rows, const HybSplit& split, std::int64_t coo_rows) {
  constexpr HybCosts costs;
  const double ell = costs.ell_entry * static_cast<double>(split.width * ell_stride(rows));
  if (split.rest == 0) return ell;
  return ell + costs.coo_part + costs.coo_row * static_cast<double>(coo_rows) +
         costs.coo_entry * static_cast<double>(split.rest);
}

HybSplit cheapest_split(const PatternView& matrix, const Segment& segment) {
  const std::int64_t longest = longest_row(matrix, segment);
  const std::int64_t rows = segment.rows();
  HybSplit split{0, segment.nonzeros(matrix.row_offsets)};
  if (longest == 0) return split;
  // An ELL of this width costs more by itself than a COO with everything.
  const std::int64_t too_wide =
      1 + static_cast<std::int64_t>(hyb_cost(rows, split, rows) / hyb_cost(rows, {1, 0}, 0));
  const RowLengths lengths(matrix, segment, std::min(longest, too_wide));
  std::int64_t longer = rows - lengths.rows_of(0);  // than the width
  HybSplit best = split;
  double least = hyb_cost(rows, split, longer);
  while (split.width < lengths.most()) {
    ++split.width;
    split.rest -= longer;
    longer -= lengths.rows_of(split.width);
    const double cost = hyb_cost(rows, split, longer);
    if (cost > least) continue;
    best = split;
    least = cost;
  }
  return best;
}

HybSplit hyb_split(const PatternView& matrix, const Segment& segment, const Layout& layout) {
  return layout.variant.ends_with("paper") ? paper_split(matrix, segment)
                                           : cheapest_split(matrix, segment);
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

HybSplit hyb_split(const SegmentShape& shape) {
  constexpr double ell_index_bytes = SegmentShape{}.index_bytes;
  // What indices take more than those of ELL is COO's.
  const double rest =
      shape.elements * (shape.index_bytes - ell_index_bytes) / (coo_index_bytes - ell_index_bytes);
  const double stride = static_cast<double>(ell_stride(static_cast<std::int64_t>(shape.unknowns)));
  HybSplit split;
  split.rest = std::llround(rest);
  split.width = stride > 0 ? std::llround((shape.elements - rest) / stride) : 0;
  return split;
}

template HybMatrix<float> convert_to_hyb(const CsrView<float>&, const Segment&, std::int64_t, int);
template HybMatrix<double> convert_to_hyb(const CsrView<double>&, const Segment&, std::int64_t,
                                          int);

}  // namespace sparsecast
