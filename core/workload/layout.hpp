#pragma once

#include <array>
#include <string>
#include <string_view>
#include <type_traits>

namespace sparsecast {

/// How a matrix is stored for the multiplication. One enumerator a format: a new format is added
/// here, beside `core/formats/bcsr/bcsr.hpp` (storage and conversion) and in each back end's
/// kernels.
enum class Format {
  csr,   ///< Compressed Sparse Row, which is also BCSR with 1 x 1 blocks
  bcsr,  ///< Block CSR, N x N blocks stored row by row
};

/// The order in which block rows are stored (section 3.5).
enum class RowOrder {
  natural,  ///< as in the matrix
  sorted,   ///< by falling length within a segment, with a result index per block row
};

/// A storage layout: format, block size and row order.
struct Layout {
  Format format = Format::csr;
  int block_size = 1;  ///< N; 1 for CSR
  RowOrder row_order = RowOrder::natural;

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The block sizes N for which there are kernels.
inline constexpr std::array<int, 6> block_sizes{1, 2, 3, 4, 6, 8};

/// The layout with N x N blocks in natural order: CSR for N = 1, BCSR otherwise. Throws `Error` if
/// there is no kernel for N.
Layout block_layout(int block_size);

/// Calls `function(std::integral_constant<int, N>)` for the block size. Throws like `block_layout`.
template <class Function>
decltype(auto) with_block_size(int block_size, const Function& function) {
  switch (block_size) {
    case 2:
      return function(std::integral_constant<int, 2>{});
    case 3:
      return function(std::integral_constant<int, 3>{});
    case 4:
      return function(std::integral_constant<int, 4>{});
    case 6:
      return function(std::integral_constant<int, 6>{});
    case 8:
      return function(std::integral_constant<int, 8>{});
    default:
      block_layout(block_size);  // throws unless it is 1
      return function(std::integral_constant<int, 1>{});
  }
}

/// "csr", "bcsr4", "bcsr4-sorted": the name in profiles, tables and options.
std::string to_string(const Layout& layout);

/// The inverse of `to_string`. Throws `Error` that lists the known names.
Layout parse_layout(std::string_view name);

}  // namespace sparsecast
