#include "core/engine/own_solver.hpp"

#include <utility>

#include "core/engine/matrix_functions.hpp"
#include "core/schedule/method/check_method.hpp"

namespace sparsecast {

OwnSolver::OwnSolver(Method method, NamedNumbers settings)
    : method_(std::move(method)), settings_(std::move(settings)) {
  check_method(method_);
  const auto any = [](const Expression&) { return 1.0; };
  priced_ = lower(method_, parameter_values(method_, settings_, any),
                  method_.execution ? Execution::library : Execution::fused);
}

template <class T>
Solver OwnSolver::for_matrix(const CsrView<T>& matrix, const RankPart* part) const {
  return lower(method_, parameter_values(method_, settings_, functions_of(matrix, part)),
               Execution::fused);
}

template Solver OwnSolver::for_matrix(const CsrView<float>&, const RankPart*) const;
template Solver OwnSolver::for_matrix(const CsrView<double>&, const RankPart*) const;

}  // namespace sparsecast
