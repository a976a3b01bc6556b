#include "core/schedule/built_in_solvers.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text/name_list.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/schedule/cg_schedule.hpp"

namespace sparsecast {

const Solver& fused_cg() {
  static const Solver solver = [] {
    Solver made{.schedule = fused_cg_schedule(),
                .slots = cg_slots(),
                .needs = MatrixKind::symmetric_positive_definite};
    // Algorithm 1 knows r.r in its last iterations only.
    made.slots.residual_norm = "r_r";
    return made;
  }();
  return solver;
}

const Solver& algorithm1() {
  static const Solver solver{.schedule = algorithm1_schedule(),
                             .slots = cg_slots(),
                             .needs = MatrixKind::symmetric_positive_definite,
                             .paper = true};
  return solver;
}

const Solver& vendor_cg() {
  static const Solver solver{.schedule = vendor_cg_schedule(),
                             .slots = cg_slots(),
                             .needs = MatrixKind::symmetric_positive_definite,
                             .vendor = true};
  return solver;
}

const std::vector<Solver>& built_in_solvers() {
  static const std::vector<Solver> all{fused_cg(), algorithm1(), vendor_cg()};
  return all;
}

std::vector<std::string> built_in_names() {
  std::vector<std::string> names;
  for (const Solver& solver : built_in_solvers()) names.push_back(solver.name());
  return names;
}

const Solver* find_built_in(std::string_view name) {
  const auto found = std::ranges::find(built_in_solvers(), name, &Solver::name);
  return found != built_in_solvers().end() ? &*found : nullptr;
}

bool is_vendor(std::string_view name) {
  const Solver* solver = find_built_in(name);
  return solver != nullptr && solver->vendor;
}

bool is_ours(std::string_view name) {
  const Solver* solver = find_built_in(name);
  return solver != nullptr && !solver->vendor;
}

std::vector<std::string> our_names() {
  std::vector<std::string> names = built_in_names();
  std::erase_if(names, is_vendor);
  return names;
}

const Solver& built_in(std::string_view name) {
  if (const Solver* solver = find_built_in(name)) return *solver;
  throw Error("unknown schedule " + in_quotes(name) + "; expected " + one_of(built_in_names()));
}

}  // namespace sparsecast
