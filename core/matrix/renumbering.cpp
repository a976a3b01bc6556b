#include "core/matrix/renumbering.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/matrix/cuthill_mckee.hpp"
#include "core/matrix/hub_order.hpp"
#include "core/matrix/metis_order.hpp"
#include "core/matrix/nested_parts.hpp"

namespace sparsecast {
namespace {

constexpr std::array renumberings{std::pair{Renumbering::none, std::string_view("none")},
                                  std::pair{Renumbering::random, std::string_view("random")},
                                  std::pair{Renumbering::rcm, std::string_view("rcm")},
                                  std::pair{Renumbering::metis, std::string_view("metis")},
                                  std::pair{Renumbering::hubs, std::string_view("hubs")}};

}  // namespace

std::string_view to_string(Renumbering how) {
  return std::ranges::find(renumberings, how, &std::pair<Renumbering, std::string_view>::first)
      ->second;
}

Renumbering parse_renumbering(std::string_view name) {
  std::string known;
  for (const auto& [how, its_name] : renumberings) {
    if (name == its_name) return how;
    known += (known.empty() ? "" : ", ") + std::string(its_name);
  }
  throw Error("unknown renumbering " + in_quotes(name) + "; expected one of " + known);
}

Permutation make_permutation(Renumbering how, const CsrView<double>& matrix, int parts,
                             std::uint64_t seed) {
  switch (how) {
    case Renumbering::random:
      return random_permutation(matrix.rows, seed);
    case Renumbering::rcm:
      return reverse_cuthill_mckee(matrix);
    case Renumbering::metis:
      return cuts_nested(parts) ? NestedParts(matrix).order(parts) : metis_order(matrix, parts);
    case Renumbering::hubs:
      return hub_order(matrix);
    case Renumbering::none:
      break;
  }
  return identity_permutation(matrix.rows);
}

}  // namespace sparsecast
