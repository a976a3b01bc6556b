#include "core/schedule/microbenchmark_schedules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/pass_step.hpp"
#include "core/schedule/steps.hpp"

namespace sparsecast {
namespace {

/// A schedule whose iteration is this step, with the declarations that it uses and no others, so
/// that nothing is allocated for the rest.
Schedule schedule_of(Step step, const Schedule& source, std::string name) {
  Schedule schedule;
  schedule.name = std::move(name);
  const auto move_slot = [](int& slot, const auto& from, auto& to) {
    const auto& declaration = from[static_cast<std::size_t>(slot)];
    const auto found =
        std::ranges::find_if(to, [&](const auto& other) { return other.name == declaration.name; });
    slot = static_cast<int>(found - to.begin());
    if (found == to.end()) to.push_back(declaration);
  };
  for (VectorSlot& slot : step.vectors) move_slot(slot, source.vectors, schedule.vectors);
  for (ScalarSlot& slot : step.scalars) move_slot(slot, source.scalars, schedule.scalars);
  for (ScalarSlot& slot : step.sums) move_slot(slot, source.scalars, schedule.scalars);
  step.guard.reset();
  schedule.iteration = {std::move(step)};
  return schedule;
}

const Step* find_step(const Schedule& schedule, std::string_view name) {
  for (const auto* steps : {&schedule.iteration, &schedule.setup}) {
    const auto found = std::ranges::find(*steps, name, &Step::name);
    if (found != steps->end()) return &*found;
  }
  return nullptr;
}

void declare_segments(Schedule& schedule, Step& step, const std::string& prefix, int count,
                      VectorAccess access) {
  for (int i = 1; i <= count; ++i) {
    step.vectors.push_back(static_cast<VectorSlot>(schedule.vectors.size()));
    step.accesses.push_back(access);
    schedule.vectors.push_back({prefix + std::to_string(i), VectorScope::segment});
  }
}

/// Numbers below 3 in which no part follows itself (Thue): operations that repeat would be compiled
/// as a loop.
std::vector<int> square_free(int count) {
  static const std::array<std::vector<int>, 3> becomes{{{0, 1, 2}, {0, 2}, {1}}};
  std::vector<int> numbers{0};
  while (std::ssize(numbers) < count) {
    std::vector<int> next;
    for (const int number : numbers) {
      const std::vector<int>& more = becomes[static_cast<std::size_t>(number)];
      next.insert(next.end(), more.begin(), more.end());
    }
    numbers = std::move(next);
  }
  numbers.resize(static_cast<std::size_t>(count));
  return numbers;
}

/// Writes an iteration of `pass_iteration_schedule`.
class PassIteration {
 public:
  explicit PassIteration(std::string_view name) {
    schedule_.name = name;
    schedule_.vectors = {{"p", VectorScope::full}, {"q"}, {"r"}};
    none_ = scalar("none", 0);
    one_ = scalar("one", 1);
    if (name == "pass" || name == "sum") {
      write_short(name == "sum");
    } else if (name == "kernels") {
      write_kernels();
    } else {
      write_long(name);
    }
  }

  Schedule take() { return std::move(schedule_); }

 private:
  static constexpr VectorSlot p = 0;
  static constexpr VectorSlot q = 1;
  static constexpr VectorSlot r = 2;

  void write_short(bool with_sum) {
    VectorPass pass{{add_second(none_)}};
    std::vector<ScalarSlot> sums;
    if (with_sum) {
      pass.statements.push_back(dot(0, 0));
      sums.push_back(scalar("rr", 0));
    }
    schedule_.iteration = {exchange_step(p), product_step(p, q), pass_step(pass, {r, q}, sums),
                           check()};
  }

  /// Passes of which no two are alike.
  void write_kernels() {
    constexpr int count = 10;
    schedule_.iteration = {exchange_step(p), product_step(p, q)};
    for (int k = 0; k < count; ++k) {
      VectorPass pass{{add_second(none_)}};
      for (int more = 0; more < k; ++more) pass.statements[0].terms.push_back({1, none_, 1});
      pass.statements.push_back(dot(0, 0));
      const ScalarSlot sum = scalar("sum" + std::to_string(k), 0);
      schedule_.iteration.push_back(pass_step(pass, {r, q}, {sum}));
      schedule_.iteration.push_back(scalar_step({{next_value(), ScalarOperation::add, one_, sum}}));
    }
    schedule_.iteration.push_back(check());
  }

  void write_long(std::string_view name) {
    const int sums = name == "cg-sums" ? 4 : 1;
    constexpr int many = 24;
    const ScalarSlot p_q = scalar("p_q", 0);
    const ScalarSlot alpha = scalar("alpha", 0);
    const ScalarSlot beta = scalar("beta", 0);
    VectorPass residual{{add_second(alpha)}};
    std::vector<ScalarSlot> slots;
    const std::array<PassStatement, 4> dots{dot(0, 0), dot(0, 1), dot(1, 1), dot(0, 2)};
    for (int k = 0; k < sums; ++k) {
      residual.statements.push_back(dots[static_cast<std::size_t>(k)]);
      slots.push_back(scalar("sum" + std::to_string(k), 0));
    }
    std::vector<VectorSlot> operands{r, q};
    if (sums > 1) operands.push_back(p);
    // 0 over the sums: the vectors stay where they are.
    const Step behind_product =
        scalars({alpha, ScalarOperation::divide, none_, p_q}, name == "cg-product" ? many : 0, 0);
    const Step behind_sums = scalars({beta, ScalarOperation::divide, none_, slots[0]},
                                     name == "cg-chain" ? many : 0, name == "cg-apart" ? many : 0);
    schedule_.iteration = {exchange_step(p),
                           product_step(p, q, p_q),
                           check(),
                           behind_product,
                           pass_step(residual, operands, slots),
                           behind_sums,
                           pass_step({{add_second(beta)}}, {p, r}),
                           check()};
    if (name != "cg-guarded") return;
    for (Step& step : schedule_.iteration) {
      if (step.kind != StepKind::kernel) continue;
      step.guard = ScalarTest{none_, Comparison::less, one_};
      step.guard_mostly_holds = true;
    }
  }

  static PassStatement add_second(ScalarSlot factor) {
    return {0, {{1, -1, 0}, {1, factor, 1}}, -1, -1};
  }
  static PassStatement dot(int a, int b) { return {-1, {}, a, b}; }

  ScalarSlot scalar(const std::string& name, double value) {
    schedule_.scalars.push_back({name, value});
    return static_cast<ScalarSlot>(schedule_.scalars.size()) - 1;
  }
  ScalarSlot next_value() { return scalar("value" + std::to_string(schedule_.scalars.size()), 1); }

  /// One that never ends the run.
  Step check() const { return check_step({{{one_, Comparison::less, none_}, Outcome::converged}}); }

  /// This assignment and so many others.
  Step scalars(const ScalarAssignment& first, int chained, int apart) {
    std::vector<ScalarAssignment> all{first};
    const ScalarSlot chain = chained > 0 ? next_value() : 0;
    for (const int kind : square_free(chained)) all.push_back(operation(kind, chain, chain));
    for (const int kind : square_free(apart)) {
      all.push_back(operation(kind, next_value(), one_));
    }
    return scalar_step(all);
  }

  ScalarAssignment operation(int kind, ScalarSlot target, ScalarSlot of) const {
    switch (kind) {
      case 0:
        return {target, ScalarOperation::add, of, one_};
      case 1:
        return {target, ScalarOperation::divide, one_, of};
      default:
        return {target, ScalarOperation::multiply, of, one_};
    }
  }

  Schedule schedule_;
  ScalarSlot none_ = 0;
  ScalarSlot one_ = 0;
};

}  // namespace

Schedule load_schedule(int vector_count, bool variable) {
  if (vector_count < 1) throw Error("a load of no vector; expected at least one");
  Schedule schedule;
  schedule.name = "load" + std::to_string(vector_count) + (variable ? "_variable" : "_fixed");
  schedule.scalars = {{"sum", 0}};
  Step step;
  step.kind = StepKind::kernel;
  step.name = variable ? "LoadVariable" : "LoadFixed";
  declare_segments(schedule, step, "load", vector_count, VectorAccess::read);
  step.scalars = {0};
  step.elements.per_unknown = vector_count;
  step.flops.per_unknown = vector_count;
  step.traffic.vector_reads_per_unknown = vector_count;
  step.launches = 1;
  schedule.iteration = {std::move(step)};
  return schedule;
}

Schedule mixed_schedule(int reads, int writes) {
  if (reads < 1 || writes < 1) {
    throw Error("a mix of " + std::to_string(reads) + " reads and " + std::to_string(writes) +
                " writes; expected at least one of each");
  }
  Schedule schedule;
  schedule.name = "mixed" + std::to_string(reads) + "_" + std::to_string(writes);
  Step step;
  step.kind = StepKind::kernel;
  step.name = "Mixed";
  declare_segments(schedule, step, "read", reads, VectorAccess::read);
  declare_segments(schedule, step, "write", writes, VectorAccess::write);
  step.elements.per_unknown = reads + writes;
  step.flops.per_unknown = reads - 1;
  step.traffic.vector_reads_per_unknown = reads;
  step.traffic.vector_writes_per_unknown = writes;
  step.launches = 1;
  schedule.iteration = {std::move(step)};
  return schedule;
}

Schedule wide_pass_pair_schedule(bool with_sums) {
  Schedule schedule;
  schedule.name = with_sums ? "wide_sum_pass_pair" : "wide_pass_pair";
  schedule.scalars = {{"a", 0}, {"s1", 0}, {"s2", 0}};
  // A sum is a statement, too.
  constexpr int count = most_pass_statements - 1;
  std::vector<VectorSlot> operands;
  for (int k = 0; k < count; ++k) {
    schedule.vectors.push_back({"v" + std::to_string(k)});
    operands.push_back(k);
  }
  for (const int apart : {1, 2}) {
    VectorPass pass;
    for (int k = 0; k < count; ++k) {
      pass.statements.push_back({k, {{1, -1, k}, {1, 0, (k + apart) % count}}, -1, -1});
    }
    std::vector<ScalarSlot> sums;
    if (with_sums) {
      pass.statements.push_back({-1, {}, 0, 0});
      sums.push_back(apart);
    }
    schedule.iteration.push_back(pass_step(pass, operands, sums));
  }
  return schedule;
}

Schedule pass_pair_schedule(bool with_sums) {
  Schedule schedule;
  schedule.name = with_sums ? "sum_pass_pair" : "pass_pair";
  // Factors of 0 keep the vectors where they are.
  schedule.scalars = {{"a", 0}, {"b", 0}, {"rr", 0}, {"uu", 0}};
  constexpr ScalarSlot a = 0;
  constexpr ScalarSlot b = 1;
  const PassStatement add{0, {{1, -1, 0}, {1, a, 1}}, -1, -1};
  if (with_sums) {
    // r += a*q; r.r; and the like of u.
    schedule.vectors = {{"r"}, {"q"}, {"u"}};
    const PassStatement turn{0, {{-1, -1, 0}, {1, b, 1}}, -1, -1};
    const PassStatement square{-1, {}, 0, 0};
    schedule.iteration = {pass_step({{add, square}}, {0, 1}, {2}),
                          pass_step({{turn, square}}, {2, 1}, {3})};
  } else {
    // x += a*p; p = r + b*p; and the like of w and q.
    schedule.vectors = {{"x"}, {"p"}, {"r"}, {"w"}, {"q"}};
    const PassStatement direction{1, {{1, b, 1}, {1, -1, 2}}, -1, -1};
    const PassStatement opposite{1, {{1, b, 1}, {-1, -1, 2}}, -1, -1};
    schedule.iteration = {pass_step({{add, direction}}, {0, 1, 2}),
                          pass_step({{add, opposite}}, {3, 4, 2})};
  }
  return schedule;
}

std::span<const std::string_view> pass_iteration_names() {
  static constexpr std::array<std::string_view, 9> names{
      "PassIteration/pass",       "PassIteration/sum",        "PassIteration/cg",
      "PassIteration/cg-sums",    "PassIteration/cg-chain",   "PassIteration/cg-apart",
      "PassIteration/cg-product", "PassIteration/cg-guarded", "PassIteration/kernels"};
  return names;
}

bool is_pass_iteration(std::string_view name) {
  return std::ranges::find(pass_iteration_names(), name) != pass_iteration_names().end();
}

Schedule pass_iteration_schedule(std::string_view name) {
  if (!is_pass_iteration(name)) {
    throw Error("no iteration of passes '" + std::string(name) + "'");
  }
  return PassIteration(name.substr(name.find('/') + 1)).take();
}

Schedule block_pass_schedule(bool dots, int vectors) {
  Schedule schedule;
  schedule.name = dots ? "block_dots" : "block_terms";
  schedule.scalars = {{"a", 0}};
  schedule.vectors = {{"w"}};
  std::vector<VectorSlot> operands{0};
  VectorPass pass;
  std::vector<ScalarSlot> sums;
  const auto add_sum = [&] {
    sums.push_back(static_cast<ScalarSlot>(schedule.scalars.size()));
    schedule.scalars.push_back({"sum" + std::to_string(sums.size()), 0});
  };
  PassStatement combination{0, {{1, -1, 0}}, -1, -1};
  for (int k = 1; k <= vectors; ++k) {
    schedule.vectors.push_back({"v" + std::to_string(k)});
    operands.push_back(k);
    if (dots) {
      pass.statements.push_back({-1, {}, k, 0});
      add_sum();
    } else {
      combination.terms.push_back({1, 0, k});
    }
  }
  if (!dots) pass.statements.push_back(combination);
  pass.statements.push_back({-1, {}, 0, 0});
  add_sum();
  schedule.iteration = {pass_step(pass, operands, sums)};
  return schedule;
}

Schedule single_step_schedule(std::string_view step_name) {
  for (const Solver* solver : {&algorithm1(), &fused_cg(), &vendor_cg()}) {
    const Step* step = find_step(solver->schedule, step_name);
    if (step != nullptr) return schedule_of(*step, solver->schedule, std::string(step_name));
  }
  throw Error("no step '" + std::string(step_name) +
              "' in conjugate gradients; expected SpMV, CG1 to CG5, Red, SpMVDot, CGStart, "
              "CGResidual, CGDirection, cusparseSpMV, cublasDot, cublasAxpy, cublasScal, "
              "cublasCopy or VendorMultiply");
}

Schedule exchange_schedule() {
  const Schedule algorithm1 = algorithm1_schedule();
  const auto exchange = std::ranges::find(algorithm1.iteration, StepKind::exchange, &Step::kind);
  return schedule_of(*exchange, algorithm1, "exchange");
}

Schedule barrier_schedule() {
  Schedule schedule;
  schedule.name = "barrier";
  Step step;
  step.kind = StepKind::barrier;
  step.name = "Barrier";
  schedule.iteration = {std::move(step)};
  return schedule;
}

}  // namespace sparsecast
