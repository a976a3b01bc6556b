#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/csr.hpp"

namespace sparsecast {

/// A renumbering: `permutation[new_index] = old_index`.
using Permutation = std::vector<std::int32_t>;

/// The renumberings that options name.
enum class Renumbering {
  none,    ///< as given
  random,  ///< `random_permutation`
  rcm,     ///< `reverse_cuthill_mckee`
  metis,   ///< `metis_order` (`core/metis_order.hpp`), for a number of devices
};

inline constexpr std::array all_renumberings{Renumbering::none, Renumbering::random,
                                             Renumbering::rcm, Renumbering::metis};

/// "none", "random", "rcm", "metis": the names in tables, files and options.
std::string_view to_string(Renumbering how);

/// The inverse of `to_string`. Throws `Error` that lists the known names.
Renumbering parse_renumbering(std::string_view name);

/// Uniformly random, seeded; the same on every machine.
Permutation random_permutation(std::int64_t size, std::uint64_t seed);

/// Reverse Cuthill-McKee of the symmetrised pattern, component by component, each started at a
/// pseudo-peripheral node. Throws `Error` for a matrix that is not square.
Permutation reverse_cuthill_mckee(const CsrView<double>& matrix);

/// The permutation of a renumbering by name. `parts` is the number of devices that `metis` orders
/// for; `seed` matters to `random`. Throws like the function of the kind.
Permutation make_permutation(Renumbering how, const CsrView<double>& matrix, int parts,
                             std::uint64_t seed = 1);

/// P A P^T: rows and columns renumbered alike, columns rising within rows, on `threads` threads
/// (0: all). Throws `Error` for a matrix that is not square, and unless `permutation` holds each of
/// its row numbers once.
template <class T>
CsrMatrix<T> renumber(const CsrView<T>& matrix, std::span<const std::int32_t> permutation,
                      int threads = 0);

}  // namespace sparsecast
