#include "core/schedule/method/polynomial.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

/// Writes the polynomial's steps in the place of products by the preconditioner.
class PolynomialSteps {
 public:
  PolynomialSteps(Method method, int degree)
      : method_(std::move(method)),
        degree_(degree),
        replaced_(method_.roles.at("preconditioner")),
        prefix_(free_prefix()) {}

  Method take() {
    for (const OperatorDeclaration& each : method_.operators) {
      if (each.kind == OperatorDeclaration::Kind::matrix && each.domain == each.range) {
        matrix_ = each.name;
      }
    }
    if (matrix_.empty()) refuse("multiplies by no square matrix");
    for (auto* steps : {&method_.setup, &method_.iteration, &method_.finish}) {
      *steps = rewritten(*steps);
    }
    declare();
    return std::move(method_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error("schedule '" + method_.name + "' " + why +
                "; a polynomial cannot be its preconditioner");
  }

  bool is_declared(const std::string& prefix) const {
    const auto begins = [&](const auto& each) { return each.name.starts_with(prefix); };
    return std::ranges::any_of(method_.vectors, begins) ||
           std::ranges::any_of(method_.scalars, begins) ||
           std::ranges::any_of(method_.parameters, begins) ||
           std::ranges::any_of(method_.operators, begins);
  }

  std::string free_prefix() const {
    std::string prefix = replaced_ + '_';
    while (is_declared(prefix)) prefix += '_';
    return prefix;
  }

  /// "M_d"
  std::string own(const std::string& name) const { return prefix_ + name; }

  /// Of the products of one assignment: "M_z", "M_z1".
  std::string result_name(int number) const {
    return own("z") + (number == 0 ? std::string() : std::to_string(number));
  }

  std::vector<MethodStep> rewritten(const std::vector<MethodStep>& steps) {
    std::vector<MethodStep> all;
    for (const MethodStep& step : steps) {
      if (step.kind == MethodStep::Kind::repeat) {
        all.push_back(step);
        all.back().body = rewritten(step.body);
      } else if (uses(step)) {
        append(step, all);
      } else {
        all.push_back(step);
      }
    }
    return all;
  }

  bool uses(const MethodStep& step) const {
    return std::ranges::any_of(
        step.assignments, [&](const Assignment& each) { return mentions(each.value, replaced_); });
  }

  /// A step with products by the preconditioner: what stands in front of each, the polynomial, and
  /// what is left.
  void append(const MethodStep& step, std::vector<MethodStep>& all) {
    const bool sums = std::ranges::any_of(step.assignments, [](const Assignment& each) {
      return each.value.kind == Expression::Kind::call;
    });
    if (step.when && sums)
      refuse("has sums under a condition beside a product by its preconditioner");
    MethodStep piece = step;
    piece.kind = MethodStep::Kind::vector;
    piece.assignments.clear();
    const auto end_piece = [&] {
      if (!piece.assignments.empty()) all.push_back(piece);
      piece.assignments.clear();
    };
    for (Assignment assignment : step.assignments) {
      if (mentions(assignment.value, replaced_)) {
        if (!assignment.index.empty()) refuse("multiplies by its preconditioner in a range");
        end_piece();
        results_ = 0;
        replace(assignment.value, piece, all);
        assignment.text = to_string(assignment);
      }
      piece.assignments.push_back(std::move(assignment));
    }
    end_piece();
  }

  /// Puts the result's name in the place of each product, the innermost first.
  void replace(Expression& value, const MethodStep& like, std::vector<MethodStep>& all) {
    for (Expression& each : value.arguments) replace(each, like, all);
    const bool is_product =
        value.kind == Expression::Kind::operation && value.operation == Operator::multiply &&
        value.arguments[0].kind == Expression::Kind::name && value.arguments[0].name == replaced_;
    if (!is_product) return;
    const std::string result = result_name(results_);
    most_results_ = std::max(most_results_, ++results_);
    append_polynomial(to_string(value.arguments[1]), result, like, all);
    value = parse_expression(result);
  }

  void append_polynomial(const std::string& operand, const std::string& result,
                         const MethodStep& like, std::vector<MethodStep>& all) {
    const auto add = [&](MethodStep::Kind kind, const std::vector<std::string>& texts) {
      MethodStep step = like;
      step.kind = kind;
      step.assignments.clear();
      for (const std::string& text : texts) step.assignments.push_back(parse_assignment(text));
      all.push_back(std::move(step));
    };
    const std::string d = own("d");
    const std::string t = own("t");
    const std::string q = own("q");
    const std::string jacobi = own("jacobi");
    add(MethodStep::Kind::vector,
        {t + " = " + operand, d + " = 1/" + own("theta") + "*(" + jacobi + "*" + t + ")",
         result + " = " + d});
    for (int product = 1; product <= degree_; ++product) {
      const std::string number = std::to_string(product);
      add(MethodStep::Kind::apply, {q + " = " + matrix_ + "*" + d});
      const std::string along = own("a") + number + "*" + d;
      if (product == degree_) {
        add(MethodStep::Kind::vector, {result + " = " + result + " + " + along + " + " + own("b") +
                                       number + "*(" + jacobi + "*(" + t + " - " + q + "))"});
      } else {
        add(MethodStep::Kind::vector,
            {t + " = " + t + " - " + q,
             d + " = " + along + " + " + own("b") + number + "*(" + jacobi + "*" + t + ")",
             result + " = " + result + " + " + d});
      }
    }
  }

  void declare() {
    std::erase_if(method_.operators, [&](const auto& each) { return each.name == replaced_; });
    method_.roles.erase("preconditioner");
    method_.operators.push_back({own("jacobi"), OperatorDeclaration::Kind::inverse_diagonal});
    for (const char* name : {"d", "t", "q"}) method_.vectors.push_back({own(name), {}});
    for (int i = 0; i < most_results_; ++i) {
      method_.vectors.push_back({result_name(i), {}});
    }
    const auto parameter = [&](const std::string& name, const std::string& value) {
      method_.parameters.push_back({own(name), parse_expression(value)});
    };
    parameter("high", "gershgorin_high(" + own("jacobi") + ", " + matrix_ + ")");
    parameter("low", own("high") + "/30");
    parameter("theta", "(" + own("high") + " + " + own("low") + ")/2");
    parameter("delta", "(" + own("high") + " - " + own("low") + ")/2");
    parameter("rho0", own("delta") + "/" + own("theta"));
    for (int product = 1; product <= degree_; ++product) {
      const std::string number = std::to_string(product);
      const std::string rho = own("rho") + number;
      const std::string before = own("rho") + std::to_string(product - 1);
      parameter("rho" + number, "1/(2*" + own("theta") + "/" + own("delta") + " - " + before + ")");
      parameter("a" + number, rho + "*" + before);
      parameter("b" + number, "2*" + rho + "/" + own("delta"));
    }
  }

  Method method_;
  int degree_;
  std::string replaced_;  ///< the preconditioner's name
  std::string prefix_;
  std::string matrix_;
  int results_ = 0;  ///< of the assignment at hand
  int most_results_ = 0;
};

}  // namespace

Method with_polynomial(Method method, int degree) {
  return PolynomialSteps(std::move(method), degree).take();
}

}  // namespace sparsecast
