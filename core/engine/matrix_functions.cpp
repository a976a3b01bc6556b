#include "core/engine/matrix_functions.hpp"

#include "core/matrix/gershgorin.hpp"

namespace sparsecast {

template <class T>
std::function<double(const Expression& call)> functions_of(const CsrView<T>& matrix,
                                                           const RankPart* part) {
  return [&matrix, part](const Expression& call) {
    const bool high = call.name == "gershgorin_high";
    const bool of_inverse_diagonal = call.arguments.size() == 2;
    if (part == nullptr) return gershgorin_bound(matrix, high, of_inverse_diagonal);
    const double mine = gershgorin_bound(matrix, part->own, high, of_inverse_diagonal);
    return high ? part->ranks->maximum(mine) : part->ranks->minimum(mine);
  };
}

template std::function<double(const Expression&)> functions_of(const CsrView<float>&,
                                                               const RankPart*);
template std::function<double(const Expression&)> functions_of(const CsrView<double>&,
                                                               const RankPart*);

}  // namespace sparsecast
