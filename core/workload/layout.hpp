#pragma once

#include <array>
#include <compare>
#include <string>
#include <string_view>
#include <type_traits>

namespace sparsecast {

/// The order in which block rows are stored (section 3.5).
enum class RowOrder {
  natural,  ///< as in the matrix
  sorted,   ///< by falling length within a segment, with a result index per block row
};

/// How a matrix is stored for the multiplication: a format by its name (`core/formats/registry.hpp`
/// knows them all) with its parameters.
struct Layout {
  std::string_view format = "csr";  ///< a literal, or what a `Format` has
  int block_size = 1;               ///< N of a format of N x N blocks; 1 elsewhere
  RowOrder row_order = RowOrder::natural;
  /// What else there is to choose, in the format's own words ("warp-padded"); a literal, or what a
  /// `Format` has.
  std::string_view variant = "";
  /// C of SELL-C-sigma: rows whose values lie together; 1 elsewhere.
  int slice_height = 1;
  /// Its sigma, of `RowOrder::sorted`: rows among which rows are sorted; 0: all of the segment.
  int sorting_window = 0;

  friend bool operator==(const Layout&, const Layout&) = default;
  /// Any order, for keys of maps; that of tables is `all_layouts`.
  friend auto operator<=>(const Layout&, const Layout&) = default;
};

/// The block sizes N for which there are kernels.
inline constexpr std::array<int, 6> block_sizes{1, 2, 3, 4, 6, 8};

/// The layout with N x N blocks in natural order: CSR for N = 1, BCSR otherwise. Throws `Error` if
/// there is no kernel for N.
Layout block_layout(int block_size);

/// Whether it is CSR or BCSR, in any order of rows.
bool is_csr_or_blocks(const Layout& layout);

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

/// "csr", "bcsr4", "bcsr4-sorted", "dia", "paper4-warp-sorted", "sell32-sorted512": format and
/// block size or slice height, variant, row order with its window. The name in profiles, tables and
/// options. Its inverse is `parse_layout` (`core/formats/registry.hpp`).
std::string to_string(const Layout& layout);

}  // namespace sparsecast
