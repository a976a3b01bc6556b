#include "core/cg_schedule.hpp"

#include <initializer_list>
#include <limits>
#include <utility>

namespace sparsecast {
namespace {

/// Builds steps by the names of Algorithm 1.
class Algorithm1 {
 public:
  Algorithm1() {
    using enum VectorScope;
    schedule_.name = "algorithm1";
    for (const char* name : {"x", "b", "c", "r", "w", "u", "v_part", "t1", "t2", "t3"}) {
      schedule_.vectors.push_back({name, segment});
    }
    schedule_.vectors.push_back({"v", full});
    for (const char* name : {"alpha", "beta", "s", "t", "p_Ap", "r_r", "v_v", "v_norm", "zero",
                             "beta_minimum", "stalled"}) {
      schedule_.scalars.push_back({name, 0});
    }
    schedule_.scalars.push_back({"patience", std::numeric_limits<double>::max()});
    const double never = -std::numeric_limits<double>::max();
    for (const char* name : {"beta_threshold", "r_r_threshold", "v_norm_threshold"}) {
      schedule_.scalars.push_back({name, never});
    }
  }

  Schedule build() {
    // Lines 1 to 9. Line 1 multiplies the start value, which v carries to all devices.
    auto& setup = schedule_.setup;
    setup = {copy("x", "v"), exchange("x", "v"), spmv("v", "r"), cg1(), reduce("t1", "alpha"),
             reduce("t2", "v_v"),
             scalars({{slot("v_norm"), ScalarOperation::square_root, slot("v_v"), -1},
                      {slot("beta_minimum"), ScalarOperation::copy, slot("alpha"), -1},
                      {slot("stalled"), ScalarOperation::copy, slot("zero"), -1}}),
             // Not printed there: a start value that is the solution needs no iteration.
             cg2(), reduce("t1", "r_r"),
             check({{{slot("r_r"), Comparison::less_equal, slot("r_r_threshold")},
                     Outcome::converged}})};

    // Lines 10 to 31.
    const ScalarTest beta_small{slot("beta"), Comparison::less, slot("beta_threshold")};
    Step guarded_cg2 = cg2();
    guarded_cg2.guard = beta_small;
    Step guarded_reduce = reduce("t1", "r_r");
    guarded_reduce.guard = beta_small;
    guarded_reduce.charged_per_iteration = 0;  // equation 6 charges CG2, and three reductions
    Step guarded_check =
        check({{{slot("r_r"), Comparison::less_equal, slot("r_r_threshold")}, Outcome::converged}});
    guarded_check.guard = beta_small;

    auto& iteration = schedule_.iteration;
    iteration = {
        check({{{slot("v_norm"), Comparison::less, slot("v_norm_threshold")}, Outcome::converged}}),
        exchange("v_part", "v"),
        spmv("v", "u"),
        cg3(),
        reduce("t1", "p_Ap"),
        check({{{slot("p_Ap"), Comparison::less_equal, slot("zero")},
                Outcome::not_positive_definite}}),
        scalars({{slot("t"), ScalarOperation::divide, slot("alpha"), slot("p_Ap")}}),
        cg4(),
        reduce("t2", "beta"),
        scalars(
            {{slot("s"), ScalarOperation::divide, slot("beta"), slot("alpha")},
             {slot("alpha"), ScalarOperation::copy, slot("beta"), -1},
             // Not printed there: how long beta has found no new minimum.
             {slot("stalled"), ScalarOperation::count_unless_smaller, slot("beta"),
              slot("beta_minimum")},
             {slot("beta_minimum"), ScalarOperation::minimum, slot("beta"), slot("beta_minimum")}}),
        guarded_cg2,
        guarded_reduce,
        guarded_check,
        check({{{slot("patience"), Comparison::less_equal, slot("stalled")}, Outcome::stagnated}}),
        cg5(),
        reduce("t3", "v_v"),
        scalars({{slot("v_norm"), ScalarOperation::square_root, slot("v_v"), -1}})};
    return std::move(schedule_);
  }

 private:
  VectorSlot vector(const char* name) const { return vector_slot(schedule_, name); }
  ScalarSlot slot(const char* name) const { return scalar_slot(schedule_, name); }

  std::vector<VectorSlot> vectors(std::initializer_list<const char*> names) const {
    std::vector<VectorSlot> slots;
    for (const char* name : names) slots.push_back(vector(name));
    return slots;
  }

  /// A vector kernel with its row of Table 2: m = reads + writes per unknown.
  Step vector_kernel(const char* name, std::initializer_list<const char*> operands, double reads,
                     double writes, double flops) const {
    Step step;
    step.kind = StepKind::kernel;
    step.name = name;
    step.vectors = vectors(operands);
    step.elements.per_unknown = reads + writes;
    step.flops.per_unknown = flops;
    step.traffic.vector_reads_per_unknown = reads;
    step.traffic.vector_writes_per_unknown = writes;
    step.launches = 1;
    return step;
  }
  Step copy(const char* from, const char* to) const {
    return vector_kernel("Copy", {from, to}, 1, 1, 0);
  }
  Step cg1() const {
    return vector_kernel("CG1", {"b", "c", "r", "w", "v_part", "t1", "t2", "v"}, 3, 6, 5);
  }
  Step cg2() const { return vector_kernel("CG2", {"r", "t1"}, 1, 1, 1); }
  Step cg3() const { return vector_kernel("CG3", {"u", "v_part", "t1"}, 2, 1, 1); }
  Step cg4() const {
    Step step = vector_kernel("CG4", {"v_part", "u", "c", "x", "r", "w", "t2"}, 5, 4, 6);
    step.scalars = {slot("t")};
    return step;
  }
  Step cg5() const {
    Step step = vector_kernel("CG5", {"c", "w", "v_part", "t3", "v"}, 3, 3, 4);
    step.scalars = {slot("s")};
    return step;
  }

  Step spmv(const char* input, const char* output) const {
    Step step;
    step.kind = StepKind::kernel;
    step.name = "SpMV";
    step.vectors = vectors({input, output});
    step.elements.per_element = 2;  // Table 3: the matrix value and the vector value it meets
    step.flops.per_element = 2;
    step.traffic.values_per_element = 1;
    step.traffic.indices_per_block = 1;
    step.traffic.offsets_per_block_row = 1;
    step.traffic.gathered_per_total_unknown = 1;
    step.traffic.vector_writes_per_unknown = 1;
    step.launches = 1;
    return step;
  }

  Step reduce(const char* operand, const char* sum) const {
    Step step;
    step.kind = StepKind::reduce;
    step.name = "Red";
    step.vectors = vectors({operand});
    step.scalars = {slot(sum)};
    step.elements.per_unknown = 1;
    step.flops.per_unknown = 1;
    step.traffic.vector_reads_per_unknown = 1;
    step.launches = 2;  // section 5.2: a complete reduction launches at least two kernels
    return step;
  }

  Step exchange(const char* part, const char* whole) const {
    Step step;
    step.kind = StepKind::exchange;
    step.name = "Exchange";
    step.vectors = vectors({part, whole});
    step.traffic.exchanged_per_total_unknown = 1;  // each device sends its part, gets the others
    return step;
  }

  static Step scalars(std::vector<ScalarAssignment> assignments) {
    Step step;
    step.kind = StepKind::host_scalar;
    step.name = "Scalars";
    step.assignments = std::move(assignments);
    return step;
  }
  static Step check(std::vector<StopTest> tests) {
    Step step;
    step.kind = StepKind::check;
    step.name = "Check";
    step.stop_tests = std::move(tests);
    return step;
  }

  Schedule schedule_;
};

}  // namespace

Schedule algorithm1_schedule() {
  return Algorithm1().build();
}

}  // namespace sparsecast
