#include "core/schedule/method/check_method.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/schedule/method/expression_check.hpp"
#include "core/schedule/method/method_words.hpp"

namespace sparsecast {

namespace {

using StepKind = MethodStep::Kind;

class MethodCheck {
 public:
  explicit MethodCheck(const Method& method) : method_(method), check_(method) {}

  void run() {
    names_are_free();
    parameters();
    operators();
    sizes(method_.vectors, "vectors", 1);
    sizes(method_.scalars, "scalars", 2);
    roles();
    check_.mark_written(method_.roles.at("solution"));
    check_.mark_written(method_.roles.at("right_hand_side"));
    steps(method_.setup);
    check_.set_place("iteration");
    if (!has_apply(method_.iteration)) {
      check_.refuse("expected an apply step; without a product by the matrix nothing converges");
    }
    steps(method_.iteration);
    steps(method_.finish);
  }

 private:
  void names_are_free() {
    std::set<std::string> taken{"dot"};
    for (const std::string& name : scalar_functions()) taken.insert(name);
    for (const std::string_view name : matrix_functions) taken.emplace(name);
    for (const std::string_view name : given_scalars) taken.emplace(name);
    std::set<std::string> declared = taken;
    const auto declare = [&](const auto& list, const char* place) {
      check_.set_place(place);
      for (const auto& each : list) {
        if (declared.insert(each.name).second) continue;
        const bool of_language = taken.contains(each.name);
        check_.refuse("'" + each.name +
                      (of_language ? "' is a name of the language; use another one"
                                   : "' is declared twice; use another name"));
      }
    };
    declare(method_.parameters, "parameters");
    declare(method_.operators, "operators");
    declare(method_.vectors, "vectors");
    declare(method_.scalars, "scalars");
  }

  void parameters() {
    std::set<std::string> before;
    for (const Parameter& parameter : method_.parameters) {
      check_.set_place("parameters." + parameter.name);
      if (parameter.value) check_.parameter_value(*parameter.value, before);
      before.insert(parameter.name);
    }
  }

  void operators() {
    for (const OperatorDeclaration& declared : method_.operators) {
      check_.set_place("operators." + declared.name);
      if (declared.is_local() && declared.domain != declared.range) {
        check_.refuse("the " + std::string(to_string(declared.kind)) + " has one space, found '" +
                      declared.domain + "' and '" + declared.range + "'");
      }
    }
  }

  void sizes(const std::vector<Declaration>& list, const std::string& place, std::size_t most) {
    std::set<std::string> parameters;
    for (const Parameter& parameter : method_.parameters) parameters.insert(parameter.name);
    const NamedNumbers known = known_parameters(method_);
    for (std::size_t i = 0; i < list.size(); ++i) {
      check_.set_place(place + "[" + std::to_string(i) + "]");
      if (list[i].sizes.size() > most) {
        check_.refuse("'" + list[i].name + "' has " + std::to_string(list[i].sizes.size()) +
                      " dimensions; expected " + std::to_string(most) + " at most");
      }
      bool all_known = true;
      for (const Expression& size : list[i].sizes) {
        check_.parameter_value(size, parameters);
        all_known = all_known && constant_value(size, known).has_value();
      }
      if (!all_known) continue;
      try {
        sizes_of(list[i], known);
      } catch (const Error& error) {
        check_.refuse(error.what());
      }
    }
  }

  void roles() {
    check_.set_place("roles");
    for (const char* needed : {"solution", "right_hand_side"}) {
      if (!method_.roles.contains(needed)) {
        check_.refuse("'" + std::string(needed) + "' is missing; name the vector that is it");
      }
    }
    for (const auto& [role, name] : method_.roles) {
      if (role == "restart") {
        if (check_.names().kind(name) == MethodNames::Kind::parameter) continue;
        check_.refuse("'" + role + "' is " + in_quotes(name) + "; expected a declared parameter");
      }
      if (role == "preconditioner") {
        const OperatorDeclaration* by = check_.names().linear_operator(name);
        if (by != nullptr && (by->kind == OperatorDeclaration::Kind::identity ||
                              by->kind == OperatorDeclaration::Kind::inverse_diagonal ||
                              by->kind == OperatorDeclaration::Kind::inverse_block_diagonal)) {
          continue;
        }
        check_.refuse("'" + role + "' is " + in_quotes(name) +
                      "; expected an operator that is the identity, an inverse diagonal or an " +
                      "inverse block diagonal");
      }
      const bool is_scalar =
          role == "residual_norm" || role == "residual_square" || role == "cycle_steps";
      const Declaration* declared =
          is_scalar ? check_.names().scalar(name) : check_.names().vector(name);
      if (declared == nullptr || !declared->sizes.empty()) {
        check_.refuse("'" + role + "' is " + in_quotes(name) + "; expected a declared " +
                      (is_scalar ? "scalar" : "vector") + " that is no array");
      }
    }
    if (method_.roles.at("solution") == method_.roles.at("right_hand_side")) {
      check_.refuse("the solution is the right-hand side; expected two vectors");
    }
  }

  static bool has_apply(const std::vector<MethodStep>& steps) {
    return std::ranges::any_of(steps, [](const MethodStep& step) {
      return step.kind == StepKind::apply || has_apply(step.body);
    });
  }

  void steps(const std::vector<MethodStep>& steps) {
    for (const MethodStep& each : steps) step(each);
  }

  void step(const MethodStep& step) {
    const std::string key = step.place + "." + std::string(step_key(step.kind));
    if (step.when) {
      check_.set_place(step.place + ".when");
      check_.scalar(*step.when);
    }
    switch (step.kind) {
      case StepKind::apply:
        check_.set_place(key);
        product(step.assignments.front());
        for (std::size_t i = 1; i < step.assignments.size(); ++i) {
          check_.set_place(step.place + ".dots[" + std::to_string(i - 1) + "]");
          assignment(step.assignments[i], StepKind::apply);
        }
        break;
      case StepKind::vector:
      case StepKind::scalar:
        for (std::size_t i = 0; i < step.assignments.size(); ++i) {
          check_.set_place(key + "[" + std::to_string(i) + "]");
          assignment(step.assignments[i], step.kind);
        }
        break;
      case StepKind::check:
        for (std::size_t i = 0; i < step.tests.size(); ++i) {
          check_.set_place(key + "[" + std::to_string(i) + "]");
          check_.scalar(step.tests[i].test);
        }
        break;
      case StepKind::repeat:
        check_.set_place(key);
        check_.bounds(step.range);
        check_.open_index(step.index);
        arrays_of_earlier_rounds(step.body);
        ++repeats_;
        steps(step.body);
        --repeats_;
        check_.close_index();
        break;
      case StepKind::leave:
        check_.set_place(step.place);
        if (repeats_ == 0) check_.refuse("'break' outside a repeat; end the run with a check");
        break;
    }
  }

  /// What a round reads of an array, earlier rounds may have assigned.
  void arrays_of_earlier_rounds(const std::vector<MethodStep>& body) {
    for (const MethodStep& each : body) {
      for (const Assignment& assignment : each.assignments) {
        if (!assignment.target.arguments.empty()) check_.mark_written(assignment.target.name);
      }
      arrays_of_earlier_rounds(each.body);
    }
  }

  /// "q = A*x"
  void product(const Assignment& assignment) {
    const Expression& value = assignment.value;
    const bool is_product = value.kind == Expression::Kind::operation &&
                            value.operation == Operator::multiply &&
                            value.arguments[0].kind == Expression::Kind::name;
    const OperatorDeclaration* by =
        is_product ? check_.names().linear_operator(value.arguments[0].name) : nullptr;
    if (by == nullptr || !assignment.index.empty()) {
      check_.refuse(value, "expected the product of a declared operator and a vector, 'q = A*x'");
    }
    const std::string domain = check_.vector_name(value.arguments[1], true);
    if (!check_.target(assignment.target)) {
      check_.refuse(assignment.target,
                    "a product is a vector; '" + assignment.target.name + "' is a scalar");
    }
    const std::string range = check_.vector_name(assignment.target, false);
    if (domain != by->domain || range != by->range) {
      check_.refuse(value, "'" + by->name + "' takes vectors in '" + by->domain + "' to '" +
                               by->range + "', found '" + domain + "' and '" + range + "'");
    }
    if (to_string(assignment.target) == to_string(value.arguments[1])) {
      check_.refuse(assignment.target, "a product cannot overwrite its operand; use two vectors");
    }
    check_.mark_written(assignment.target.name);
  }

  void assignment(const Assignment& assignment, StepKind kind) {
    if (!assignment.index.empty()) {
      check_.bounds(assignment.range);
      check_.open_index(assignment.index);
    }
    const bool is_vector = check_.target(assignment.target);
    if (is_vector && kind != StepKind::vector) {
      check_.refuse(assignment.target,
                    "'" + assignment.target.name + "' is a vector; assign it in a vector step");
    }
    if (is_vector) {
      const std::string space = check_.vector(assignment.value);
      const std::string& own = check_.names().vector(assignment.target.name)->space;
      if (space != own) {
        check_.refuse(assignment.target, "'" + assignment.target.name + "' lies in '" + own +
                                             "', its value in '" + space + "'");
      }
    } else if (kind == StepKind::scalar) {
      check_.scalar(assignment.value);
    } else {
      check_.dot(assignment.value);
    }
    if (!assignment.index.empty()) check_.close_index();
    check_.mark_written(assignment.target.name);
  }

  const Method& method_;
  ExpressionCheck check_;
  int repeats_ = 0;
};

}  // namespace

void check_method(const Method& method) {
  MethodCheck(method).run();
}

}  // namespace sparsecast
