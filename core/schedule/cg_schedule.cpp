#include "core/schedule/cg_schedule.hpp"

#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/schedule/steps.hpp"

namespace sparsecast {
namespace {

/// No value of a scalar is below it.
constexpr double never = -std::numeric_limits<double>::max();

/// Builds steps from the names of a schedule's vectors and scalars.
class ScheduleBuilder {
 protected:
  ScheduleBuilder(const char* name, std::initializer_list<const char*> parts,
                  std::initializer_list<const char*> full_vectors) {
    schedule_.name = name;
    for (const char* part : parts) schedule_.vectors.push_back({part, VectorScope::segment});
    for (const char* full : full_vectors) schedule_.vectors.push_back({full, VectorScope::full});
  }

  void declare_scalars(std::initializer_list<const char*> names, double initial) {
    for (const char* name : names) schedule_.scalars.push_back({name, initial});
  }

  VectorSlot vector(const char* name) const { return vector_slot(schedule_, name); }
  ScalarSlot slot(const char* name) const { return scalar_slot(schedule_, name); }

  struct Operand {
    const char* name;
    VectorAccess access = VectorAccess::read;
  };
  static Operand written(const char* name) { return {name, VectorAccess::write}; }
  static Operand updated(const char* name) { return {name, VectorAccess::update}; }

  void set_operands(Step& step, std::initializer_list<Operand> operands) const {
    for (const Operand& operand : operands) {
      step.vectors.push_back(vector(operand.name));
      step.accesses.push_back(operand.access);
    }
  }

  /// A vector kernel with its row of Table 2: m = reads + writes per unknown.
  Step vector_kernel(const char* name, std::initializer_list<Operand> operands,
                     double flops) const {
    Step step;
    step.kind = StepKind::kernel;
    step.name = name;
    set_operands(step, operands);
    std::set<VectorSlot> read;  // one that is handed over twice is read once
    for (std::size_t i = 0; i < step.vectors.size(); ++i) {
      if (step.accesses[i] != VectorAccess::write) read.insert(step.vectors[i]);
      step.traffic.vector_writes_per_unknown += step.accesses[i] != VectorAccess::read ? 1 : 0;
    }
    step.traffic.vector_reads_per_unknown = static_cast<double>(read.size());
    step.elements.per_unknown =
        step.traffic.vector_reads_per_unknown + step.traffic.vector_writes_per_unknown;
    step.flops.per_unknown = flops;
    step.launches = 1;
    return step;
  }
  Step spmv(const char* input, const char* output) const {
    return product_step(vector(input), vector(output));
  }

  Step reduce(const char* operand, const char* sum) const {
    Step step;
    step.kind = StepKind::reduce;
    step.name = "Red";
    set_operands(step, {{operand}});
    step.scalars = {slot(sum)};
    step.elements.per_unknown = 1;
    step.flops.per_unknown = 1;
    step.traffic.vector_reads_per_unknown = 1;
    step.launches = 2;  // section 5.2: a complete reduction launches at least two kernels
    return step;
  }

  Step exchange(const char* part, const char* whole) const {
    Step step = exchange_step(vector(whole));
    step.vectors.insert(step.vectors.begin(), vector(part));
    step.accesses = {VectorAccess::read, VectorAccess::write};
    return step;
  }

  Step copy(const char* from, const char* to) const {
    return vector_kernel("Copy", {{from}, written(to)}, 0);
  }

  /// s = beta / alpha; alpha = beta; and how long beta has found no new minimum.
  Step next_direction_scalars() const {
    return scalar_step(
        {{slot("s"), ScalarOperation::divide, slot("beta"), slot("alpha")},
         {slot("alpha"), ScalarOperation::copy, slot("beta"), -1},
         // Not printed in Algorithm 1.
         {slot("stalled"), ScalarOperation::count_unless_smaller, slot("beta"),
          slot("beta_minimum")},
         {slot("beta_minimum"), ScalarOperation::minimum, slot("beta"), slot("beta_minimum")}});
  }
  Step check_positive_definite() const {
    return check_step(
        {{{slot("p_Ap"), Comparison::less_equal, slot("zero")}, Outcome::not_positive_definite}});
  }
  Step check_residual() const {
    return check_step(
        {{{slot("r_r"), Comparison::less_equal, slot("r_r_threshold")}, Outcome::converged}});
  }
  Step check_patience() const {
    return check_step(
        {{{slot("patience"), Comparison::less_equal, slot("stalled")}, Outcome::stagnated}});
  }

  Schedule schedule_;
};

class Algorithm1 : ScheduleBuilder {
 public:
  Algorithm1()
      : ScheduleBuilder("algorithm1", {"x", "b", "c", "r", "w", "u", "v_part", "t1", "t2", "t3"},
                        {"v"}) {
    declare_scalars({"alpha", "beta", "s", "t", "p_Ap", "r_r", "v_v", "v_norm", "zero",
                     "beta_minimum", "stalled"},
                    0);
    declare_scalars({"patience"}, std::numeric_limits<double>::max());
    declare_scalars({"beta_threshold", "r_r_threshold", "v_norm_threshold"}, never);
  }

  Schedule build() {
    // Lines 1 to 9. Line 1 multiplies the start value, which v carries to all devices.
    auto& setup = schedule_.setup;
    setup = {copy("x", "v"), exchange("x", "v"), spmv("v", "r"), cg1(), reduce("t1", "alpha"),
             reduce("t2", "v_v"),
             scalar_step({{slot("v_norm"), ScalarOperation::square_root, slot("v_v"), -1},
                          {slot("beta_minimum"), ScalarOperation::copy, slot("alpha"), -1},
                          {slot("stalled"), ScalarOperation::copy, slot("zero"), -1}}),
             // Not printed there: a start value that is the solution needs no iteration.
             cg2(), reduce("t1", "r_r"), check_residual()};

    // Lines 10 to 31.
    const ScalarTest beta_small{slot("beta"), Comparison::less, slot("beta_threshold")};
    Step guarded_cg2 = cg2();
    guarded_cg2.guard = beta_small;
    Step guarded_reduce = reduce("t1", "r_r");
    guarded_reduce.guard = beta_small;
    guarded_reduce.charged_per_iteration = 0;  // equation 6 charges CG2, and three reductions
    Step guarded_check = check_residual();
    guarded_check.guard = beta_small;

    auto& iteration = schedule_.iteration;
    iteration = {check_step({{{slot("v_norm"), Comparison::less, slot("v_norm_threshold")},
                              Outcome::converged}}),
                 exchange("v_part", "v"),
                 spmv("v", "u"),
                 cg3(),
                 reduce("t1", "p_Ap"),
                 check_positive_definite(),
                 scalar_step({{slot("t"), ScalarOperation::divide, slot("alpha"), slot("p_Ap")}}),
                 cg4(),
                 reduce("t2", "beta"),
                 next_direction_scalars(),
                 guarded_cg2,
                 guarded_reduce,
                 guarded_check,
                 check_patience(),
                 cg5(),
                 reduce("t3", "v_v"),
                 scalar_step({{slot("v_norm"), ScalarOperation::square_root, slot("v_v"), -1}})};
    return std::move(schedule_);
  }

 private:
  Step cg1() const {
    return vector_kernel("CG1",
                         {{"b"},
                          {"c"},
                          updated("r"),
                          written("w"),
                          written("v_part"),
                          written("t1"),
                          written("t2"),
                          written("v")},
                         5);
  }
  Step cg2() const { return vector_kernel("CG2", {{"r"}, written("t1")}, 1); }
  Step cg3() const { return vector_kernel("CG3", {{"u"}, {"v_part"}, written("t1")}, 1); }
  Step cg4() const {
    Step step = vector_kernel(
        "CG4", {{"v_part"}, {"u"}, {"c"}, updated("x"), updated("r"), written("w"), written("t2")},
        6);
    step.scalars = {slot("t")};
    return step;
  }
  Step cg5() const {
    Step step =
        vector_kernel("CG5", {{"c"}, {"w"}, updated("v_part"), written("t3"), written("v")}, 4);
    step.scalars = {slot("s")};
    return step;
  }
};

class FusedCg : ScheduleBuilder {
 public:
  FusedCg() : ScheduleBuilder("fused", {"x", "b", "c", "z", "u"}, {"v"}) {
    declare_scalars(
        {"alpha", "beta", "s", "t", "p_Ap", "r_r", "zero", "beta_minimum", "stalled", "beta_floor"},
        0);
    declare_scalars({"patience"}, std::numeric_limits<double>::max());
    declare_scalars({"r_r_threshold"}, never);
  }

  Schedule build() {
    schedule_.setup = {
        copy("x", "v"),
        exchange(),
        spmv("v", "u"),
        start(),
        scalar_step({{slot("beta_minimum"), ScalarOperation::copy, slot("alpha"), -1},
                     {slot("stalled"), ScalarOperation::copy, slot("zero"), -1}}),
        check_residual(),
        check_floor("alpha")};
    schedule_.iteration = {
        exchange(),
        spmv_dot(),
        check_positive_definite(),
        scalar_step({{slot("t"), ScalarOperation::divide, slot("alpha"), slot("p_Ap")}}),
        residual(),
        next_direction_scalars(),
        direction(),  // moves x too, so that no check may come before it
        check_residual(),
        check_floor("beta"),
        check_patience()};
    return std::move(schedule_);
  }

 private:
  Step check_floor(const char* z_r) const {
    return check_step(
        {{{slot(z_r), Comparison::less_equal, slot("beta_floor")}, Outcome::converged}});
  }
  Step exchange() const { return exchange_step(vector("v")); }
  Step spmv_dot() const { return product_step(vector("v"), vector("u"), slot("p_Ap")); }
  Step start() const {
    Step step = vector_kernel("CGStart", {{"b"}, {"c"}, {"u"}, written("z"), written("v")}, 9);
    step.sums = {slot("alpha"), slot("r_r")};
    return step;
  }
  Step residual() const {
    Step step = vector_kernel("CGResidual", {{"u"}, {"c"}, updated("z")}, 11);
    step.scalars = {slot("t")};
    step.sums = {slot("beta"), slot("r_r")};
    return step;
  }
  Step direction() const {
    Step step = vector_kernel("CGDirection", {{"z"}, updated("v"), updated("x")}, 4);
    step.scalars = {slot("t"), slot("s")};
    return step;
  }
};

class VendorCg : ScheduleBuilder {
 public:
  VendorCg() : ScheduleBuilder("vendor", {"x", "b", "c", "d", "r", "z", "u"}, {"v"}) {
    declare_scalars({"alpha", "beta", "s", "t", "minus_t", "p_Ap", "r_r", "zero", "beta_minimum",
                     "stalled", "beta_floor"},
                    0);
    declare_scalars({"one"}, 1);
    declare_scalars({"minus_one"}, -1);
    declare_scalars({"patience"}, std::numeric_limits<double>::max());
    declare_scalars({"r_r_threshold"}, never);
  }

  Schedule build() {
    schedule_.setup = {
        multiply_each("c", "c", "d"),
        copy_by_library("x", "v"),
        product(),
        copy_by_library("b", "r"),
        add("minus_one", "u", "r"),
        dot("r", "r", "r_r"),
        multiply_each("r", "d", "z"),
        dot("r", "z", "alpha"),
        copy_by_library("z", "v"),
        scalar_step({{slot("beta_minimum"), ScalarOperation::copy, slot("alpha"), -1},
                     {slot("stalled"), ScalarOperation::copy, slot("zero"), -1}}),
        check_residual()};
    schedule_.iteration = {
        product(),
        dot("v", "u", "p_Ap"),
        check_positive_definite(),
        scalar_step({{slot("t"), ScalarOperation::divide, slot("alpha"), slot("p_Ap")},
                     {slot("minus_t"), ScalarOperation::divide, slot("t"), slot("minus_one")}}),
        add("t", "v", "x"),
        add("minus_t", "u", "r"),
        dot("r", "r", "r_r"),
        check_residual(),
        multiply_each("r", "d", "z"),
        dot("r", "z", "beta"),
        next_direction_scalars(),
        check_step(
            {{{slot("beta"), Comparison::less_equal, slot("beta_floor")}, Outcome::converged}}),
        check_patience(),
        scale("s", "v"),
        add("one", "z", "v")};
    return std::move(schedule_);
  }

 private:
  Step product() const { return library_product_step(vector("v"), vector("u")); }
  Step dot(const char* a, const char* b, const char* sum) const {
    Step step = vector_kernel("cublasDot", {{a}, {b}}, 2);
    step.sums = {slot(sum)};
    step.launches = 2;  // sums of thread blocks, and their sum
    return step;
  }
  /// y += scalar * x
  Step add(const char* scalar, const char* x, const char* y) const {
    Step step = vector_kernel("cublasAxpy", {{x}, updated(y)}, 2);
    step.scalars = {slot(scalar)};
    return step;
  }
  Step scale(const char* scalar, const char* x) const {
    Step step = vector_kernel("cublasScal", {updated(x)}, 1);
    step.scalars = {slot(scalar)};
    return step;
  }
  /// product = a * b, value by value
  Step multiply_each(const char* a, const char* b, const char* result) const {
    return vector_kernel("VendorMultiply", {{a}, {b}, written(result)}, 1);
  }
  Step copy_by_library(const char* from, const char* to) const {
    return vector_kernel("cublasCopy", {{from}, written(to)}, 0);
  }
};

}  // namespace

Schedule algorithm1_schedule() {
  return Algorithm1().build();
}

Schedule fused_cg_schedule() {
  return FusedCg().build();
}

Schedule vendor_cg_schedule() {
  return VendorCg().build();
}

SolverSlots cg_slots() {
  SolverSlots slots;
  slots.solution = "x";
  slots.right_hand_side = "b";
  slots.diagonals = {{"c", SolverSlots::DiagonalValue::inverse_square_root}};
  slots.residual = "alpha";
  return slots;
}

}  // namespace sparsecast
