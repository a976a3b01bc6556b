#pragma once

#include <map>
#include <string>

#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/solver.hpp"
#include "model/paper/iteration_time.hpp"

namespace sparsecast {

/// The solvers that a forecast may name: those that come with the program, and the user's own.
class SolverList {
 public:
  /// Throws like `built_in` for a name that is none of them.
  const Solver& at(const std::string& name) const {
    const auto own = own_.find(name);
    return own != own_.end() ? *own->second : built_in(name);
  }

  /// One of the user's own, which must outlive this.
  void add(const Solver& solver) { own_.insert_or_assign(solver.name(), &solver); }

  /// Floating-point operations of an iteration with so many stored elements: by the paper's count
  /// for conjugate gradients, whatever the schedule, else those of the steps.
  double flops(const std::string& name, double unknowns, double elements) const {
    const auto own = own_.find(name);
    if (own == own_.end()) return iteration_flops(unknowns, elements);
    SegmentShape shape;
    shape.unknowns = unknowns;
    shape.elements = elements;
    double sum = 0;
    for (const Step& step : own->second->schedule.iteration) sum += evaluate(step.flops, shape);
    return sum;
  }

 private:
  std::map<std::string, const Solver*> own_;
};

}  // namespace sparsecast
