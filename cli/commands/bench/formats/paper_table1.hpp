#pragma once

#include <span>

#include "core/base/precision.hpp"

namespace sparsecast::cli {

/// A line of Table 1 of Bell and Garland 2008: bytes per flop, of which there are two a nonzero. A
/// value, its indices and a value of the vector count; not the output, offsets, the vector of PKT,
/// and the COO part of HYB and PKT.
struct PaperBytes {
  const char* layout;
  double per_flop_f32;
  double per_flop_f64;

  double per_flop(Precision precision) const {
    return precision == Precision::f32 ? per_flop_f32 : per_flop_f64;
  }
  /// Of a stored value with its indices.
  double stored_bytes(Precision precision) const {
    return 2 * per_flop(precision) - static_cast<double>(bytes_per_value(precision));
  }
};

/// Those of our layouts.
std::span<const PaperBytes> paper_table1();

}  // namespace sparsecast::cli
