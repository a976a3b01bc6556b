#pragma once

#include "core/formats/bcsr/bcsr.hpp"

namespace sparsecast {

/// `convert_to_bcsr` of a whole matrix, rows in natural order, without the values: for those who
/// ask where blocks are. Their values may be many times the matrix.
template <class T>
BcsrMatrix<T> bcsr_pattern(const CsrView<T>& matrix, const Layout& layout, int threads = 0);

}  // namespace sparsecast
