#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/matrix/csr.hpp"
#include "core/matrix/renumber.hpp"

namespace sparsecast {

/// The renumberings that options name.
enum class Renumbering {
  none,    ///< as given
  random,  ///< `random_permutation`
  rcm,     ///< `reverse_cuthill_mckee`
  metis,   ///< for a number of devices: `metis_order`, or `NestedParts` where `cuts_nested` says so
  hubs,    ///< `hub_order`
};

inline constexpr std::array all_renumberings{Renumbering::none, Renumbering::random,
                                             Renumbering::rcm, Renumbering::metis,
                                             Renumbering::hubs};

/// "none", "random", "rcm", "metis", "hubs": the names in tables, files and options.
std::string_view to_string(Renumbering how);

/// The inverse of `to_string`. Throws `Error` that lists the known names.
Renumbering parse_renumbering(std::string_view name);

/// The permutation of a renumbering by name. `parts` is the number of devices that `metis` orders
/// for; `seed` matters to `random`. Throws like the function of the kind.
Permutation make_permutation(Renumbering how, const CsrView<double>& matrix, int parts,
                             std::uint64_t seed = 1);

}  // namespace sparsecast
