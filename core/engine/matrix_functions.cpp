#include "core/engine/matrix_functions.hpp"

#include "core/matrix/gershgorin.hpp"

namespace sparsecast {

template <class T>
std::function<double(const Expression& call)> functions_of(const CsrView<T>& matrix) {
  return [&matrix](const Expression& call) {
    return gershgorin_bound(matrix, call.name == "gershgorin_high", call.arguments.size() == 2);
  };
}

template std::function<double(const Expression&)> functions_of(const CsrView<float>&);
template std::function<double(const Expression&)> functions_of(const CsrView<double>&);

}  // namespace sparsecast
