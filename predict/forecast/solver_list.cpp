#include "predict/forecast/solver_list.hpp"

#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"
#include "model/paper/iteration_time.hpp"

namespace sparsecast {
namespace {

using ListedSolvers = std::map<std::string, ListedSolver>;

const ListedSolvers& listed_built_in() {
  static const ListedSolvers all = [] {
    ListedSolvers made;
    for (const Solver& solver : built_in_solvers()) made.try_emplace(solver.name(), solver);
    return made;
  }();
  return all;
}

}  // namespace

const PricedSchedule& ListedSolver::priced() const {
  std::call_once(priced_once_, [this] { priced_.emplace(solver_.schedule); });
  return *priced_;
}

const std::optional<PersistentNeeds>& ListedSolver::persistent_needs() const {
  std::call_once(needs_once_, [this] { needs_ = sparsecast::persistent_needs(solver_.schedule); });
  return needs_;
}

SolverList::SolverList(const PredictionRequest& request) {
  for (const Solver& own : request.own) add(own);
  for (const CountedSolver& counted : request.counted) {
    if (counted.setup) add(*counted.setup);
    if (counted.last_cycle) add(*counted.last_cycle);
  }
}

void SolverList::add(const Solver& solver) {
  own_.erase(solver.name());
  own_.try_emplace(solver.name(), solver);
}

const ListedSolver& SolverList::listed(const std::string& name) const {
  const auto own = own_.find(name);
  if (own != own_.end()) return own->second;
  return listed_built_in().at(built_in(name).name());
}

double SolverList::flops(const std::string& name, double unknowns, double elements) const {
  const auto own = own_.find(name);
  if (own == own_.end()) return iteration_flops(unknowns, elements);
  SegmentShape shape;
  shape.unknowns = unknowns;
  shape.elements = elements;
  return own->second.priced().flops(shape);
}

}  // namespace sparsecast
