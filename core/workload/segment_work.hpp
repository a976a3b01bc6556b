#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/product_part.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// What one of several GPUs has to do in an iteration, as plain numbers that the model prices.
/// `core/analysis/cuda_segments.hpp` counts them of a matrix.

namespace sparsecast {

/// Another device that one exchanges with: values of the multiplied vector.
struct Neighbour {
  int device = 0;
  double received = 0;
  double sent = 0;

  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

struct SegmentWork {
  SegmentShape shape;     ///< `total_unknowns` are those of the whole system
  AccessPattern pattern;  ///< of its rows, columns of the whole system
  SpmvExecution product;  ///< of its rows
  /// Of the kernels that multiply it so: follows from layout, precision and product.
  ProductGeometry geometry;
  std::vector<ProductPart> parts{};  ///< likewise, of a product of several kernels
  double received = 0;               ///< values of the multiplied vector, by the exchange
  double sent = 0;                   ///< likewise
  double interior_rows = 0;          ///< rows that can be multiplied before the exchange has ended
  /// Where halos are exchanged (`exchanges_halos`): the devices that have a part in `received` and
  /// `sent`, rising. Empty where nobody knows them.
  std::vector<Neighbour> neighbours{};

  /// The shape of what it touches of whole vectors: its own part and what it receives. A rank has
  /// no more of them.
  SegmentShape touched_shape() const {
    SegmentShape touched = shape;
    touched.total_unknowns = shape.unknowns + received;
    return touched;
  }
};

/// Text without commas, for a field of a CSV file, and its inverse, exact. The latter throws
/// `Error` that quotes a text of another form. What is read has no geometry yet
/// (`fill_geometry` of `core/analysis/cuda_segments.hpp`). Neighbours are left out where there are
/// none, as in texts that were written before they had a place.
std::string to_text(std::span<const SegmentWork> segments);
std::vector<SegmentWork> parse_segment_work(std::string_view text);

}  // namespace sparsecast
