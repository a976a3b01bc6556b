#include "core/engine/own_schedule.hpp"

#include "core/engine/own_solver.hpp"

namespace sparsecast {

Solver OwnSchedule::priced() const {
  return OwnSolver(method, settings).priced();
}

}  // namespace sparsecast
