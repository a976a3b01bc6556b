#include "core/engine/reference_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "core/engine/matrix_functions.hpp"
#include "core/matrix/diagonal.hpp"
#include "core/matrix/inverse_blocks.hpp"
#include "core/schedule/method/check_method.hpp"
#include "core/schedule/method/method_names.hpp"

namespace sparsecast {

namespace {

using Values = std::vector<double>;

Values product(const CsrView<double>& matrix, const Values& operand) {
  Values result(static_cast<std::size_t>(matrix.rows));
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    double sum = 0;
    for (std::int64_t e = matrix.row_offsets[row]; e < matrix.row_offsets[row + 1]; ++e) {
      sum += matrix.values[e] * operand[matrix.column_indices[e]];
    }
    result[row] = sum;
  }
  return result;
}

Values product_of_transpose(const CsrView<double>& matrix, const Values& operand) {
  Values result(static_cast<std::size_t>(matrix.columns), 0);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t e = matrix.row_offsets[row]; e < matrix.row_offsets[row + 1]; ++e) {
      result[matrix.column_indices[e]] += matrix.values[e] * operand[row];
    }
  }
  return result;
}

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// What the steps of one run read and write.
class ReferenceRun {
 public:
  ReferenceRun(const Method& method, const CsrView<double>& matrix, std::span<const double> b,
               std::span<const double> x, const ReferenceOptions& options)
      : method_(method),
        names_(method),
        matrix_(matrix),
        diagonal_(diagonal(matrix)),
        parameters_(parameter_values(method, options.settings, functions_of(matrix))) {
    declare();
    for (const OperatorDeclaration& each : method.operators) {
      if (each.block_size > 0)
        inverse_blocks_[each.block_size] = inverse_blocks(matrix, each.block_size);
    }
    vectors_.at(method.roles.at("right_hand_side")).front().assign(b.begin(), b.end());
    vectors_.at(method.roles.at("solution")).front().assign(x.begin(), x.end());
    const double norm = std::sqrt(dot({b.begin(), b.end()}, {b.begin(), b.end()}));
    given_["right_hand_side_norm"] = norm;
    given_["residual_limit"] = options.tolerance * norm;
    given_["iteration"] = 0;
  }

  ReferenceResult run(std::int64_t most_iterations) {
    ReferenceResult result;
    run_steps(method_.setup);
    note_residual(result);
    while (!ended_ && result.iterations < most_iterations) {
      moved_ = false;
      run_steps(method_.iteration);
      if (ended_ && !moved_) break;
      given_["iteration"] = static_cast<double>(++result.iterations);
      note_residual(result);
    }
    result.outcome = ended_.value_or(Outcome::iteration_limit);
    ended_.reset();
    run_steps(method_.finish);
    result.x = vectors_.at(method_.roles.at("solution")).front();
    return result;
  }

 private:
  void declare() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Values poisoned(static_cast<std::size_t>(matrix_.rows), nan);
    for (const Declaration& each : method_.vectors) {
      const auto sizes = sizes_of(each, parameters_);
      sizes_[each.name] = sizes;
      vectors_[each.name].assign(sizes.empty() ? 1 : sizes.front(), poisoned);
    }
    for (const Declaration& each : method_.scalars) {
      const auto sizes = sizes_of(each, parameters_);
      std::size_t count = 1;
      for (const std::int64_t size : sizes) count *= static_cast<std::size_t>(size);
      sizes_[each.name] = sizes;
      scalars_[each.name].assign(count, nan);
    }
  }

  void note_residual(ReferenceResult& result) const {
    if (const auto norm = method_.roles.find("residual_norm"); norm != method_.roles.end()) {
      result.residual_norms.push_back(scalars_.at(norm->second).front());
    } else if (const auto square = method_.roles.find("residual_square");
               square != method_.roles.end()) {
      result.residual_norms.push_back(std::sqrt(scalars_.at(square->second).front()));
    }
  }

  std::size_t place_of(const Expression& name, const std::vector<double>& indices) const {
    const std::vector<std::int64_t>& sizes = sizes_.at(name.name);
    std::size_t place = 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (!(indices[i] >= 0 && indices[i] < static_cast<double>(sizes[i])) ||
          std::floor(indices[i]) != indices[i]) {
        throw Error("schedule '" + method_.name + "': " + place_ + ": index " +
                    short_number(indices[i], 6) + " of '" + name.name + "' is none of 0 to " +
                    std::to_string(sizes[i] - 1));
      }
      place = place * static_cast<std::size_t>(sizes[i]) + static_cast<std::size_t>(indices[i]);
    }
    return place;
  }
  std::size_t place_of(const Expression& name) const {
    std::vector<double> indices;
    for (const Expression& index : name.arguments) indices.push_back(scalar(index));
    return place_of(name, indices);
  }

  double scalar(const Expression& expression) const {
    const ValueSource source{[this](const Expression& name, const std::vector<double>& indices) {
                               return scalar_named(name, indices);
                             },
                             nullptr};
    return value_of(expression, source);
  }
  double scalar_named(const Expression& name, const std::vector<double>& indices) const {
    if (const auto found = scalars_.find(name.name); found != scalars_.end()) {
      return found->second[place_of(name, indices)];
    }
    if (const auto found = given_.find(name.name); found != given_.end()) return found->second;
    return parameters_.at(name.name);
  }

  Values& vector_named(const Expression& name) { return vectors_.at(name.name)[place_of(name)]; }

  Values applied(const OperatorDeclaration& by, Values operand) const {
    switch (by.kind) {
      case OperatorDeclaration::Kind::matrix:
        return product(matrix_, operand);
      case OperatorDeclaration::Kind::transpose:
        return product_of_transpose(matrix_, operand);
      case OperatorDeclaration::Kind::diagonal:
        for (std::size_t i = 0; i < operand.size(); ++i) operand[i] *= diagonal_[i];
        break;
      case OperatorDeclaration::Kind::inverse_diagonal:
        for (std::size_t i = 0; i < operand.size(); ++i) operand[i] /= diagonal_[i];
        break;
      case OperatorDeclaration::Kind::inverse_block_diagonal:
        return product_of_blocks(by.block_size, operand);
      case OperatorDeclaration::Kind::identity:
        break;
    }
    return operand;
  }

  Values product_of_blocks(int size, const Values& operand) const {
    const std::vector<Values>& inverse = inverse_blocks_.at(size);
    Values result(operand.size(), 0);
    for (std::size_t row = 0; row < result.size(); ++row) {
      const std::size_t first = row - row % static_cast<std::size_t>(size);
      for (std::size_t k = 0; k < inverse.size() && first + k < operand.size(); ++k) {
        result[row] += inverse[k][row] * operand[first + k];
      }
    }
    return result;
  }

  Values scaled(Values values, double factor) const {
    for (double& value : values) value *= factor;
    return values;
  }

  Values sum(const Expression& sum) {
    Values total(static_cast<std::size_t>(matrix_.rows), 0);
    over_range(sum.name, sum.arguments[0], sum.arguments[1], false, [&] {
      const Values term = vector(sum.arguments[2]);
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += term[i];
      return true;
    });
    return total;
  }

  Values vector(const Expression& expression) {
    const auto& operands = expression.arguments;
    if (expression.kind == Expression::Kind::name) return vector_named(expression);
    if (expression.kind == Expression::Kind::sum) return sum(expression);
    if (expression.operation == Operator::negate) return scaled(vector(operands[0]), -1);
    if (expression.operation == Operator::multiply) {
      if (const auto* by = names_.linear_operator(operands[0].name)) {
        return applied(*by, vector(operands[1]));
      }
      const bool first = names_.has_vectors(operands[0]);
      return scaled(vector(operands[first ? 0 : 1]), scalar(operands[first ? 1 : 0]));
    }
    Values left = vector(operands[0]);
    if (expression.operation == Operator::divide) {
      const double divisor = scalar(operands[1]);
      for (double& value : left) value /= divisor;
      return left;
    }
    const Values right = vector(operands[1]);
    const bool adds = expression.operation == Operator::add;
    for (std::size_t i = 0; i < left.size(); ++i) left[i] += adds ? right[i] : -right[i];
    return left;
  }

  void assign_once(const Assignment& assignment) {
    const Expression& target = assignment.target;
    const Expression& value = assignment.value;
    if (vectors_.contains(target.name)) {
      Values result = vector(value);
      vector_named(target) = std::move(result);
      return;
    }
    const bool is_dot = value.kind == Expression::Kind::call && value.name == "dot";
    const double result =
        is_dot ? dot(vector_named(value.arguments[0]), vector_named(value.arguments[1]))
               : scalar(value);
    scalars_.at(target.name)[place_of(target)] = result;
  }
  void assign(const Assignment& assignment) {
    if (assignment.index.empty()) return assign_once(assignment);
    over_range(assignment.index, assignment.range[0], assignment.range[1], false, [&] {
      assign_once(assignment);
      return true;
    });
  }

  /// Carries out `body` until it says false.
  template <class Body>
  void over_range(const std::string& index, const Expression& from, const Expression& to,
                  bool falls, const Body& body) {
    const double first = scalar(from);
    const double last = scalar(to);
    if (!std::isfinite(first) || !std::isfinite(last)) {
      throw Error("schedule '" + method_.name + "': " + place_ + ": the range of '" + index +
                  "' is not finite");
    }
    for (double i = first; falls ? i >= last : i <= last; i += falls ? -1 : 1) {
      given_[index] = i;
      if (!body()) break;
    }
    given_.erase(index);
  }

  bool all_finite(const Expression& test) const {
    if (test.kind == Expression::Kind::name) return std::isfinite(scalar(test));
    return std::ranges::all_of(test.arguments,
                               [this](const Expression& each) { return all_finite(each); });
  }

  void check(const MethodStep& step) {
    for (const MethodTest& test : step.tests) {
      if (!all_finite(test.test)) ended_ = Outcome::not_finite;
    }
    for (const MethodTest& test : step.tests) {
      if (!ended_ && scalar(test.test) != 0) ended_ = test.outcome;
    }
  }

  /// Until the run or the innermost repeat ends; false then.
  bool run_steps(const std::vector<MethodStep>& steps) {
    return std::ranges::all_of(steps, [this](const MethodStep& step) { return run_step(step); });
  }
  bool run_step(const MethodStep& step) {
    place_ = step.place;
    if (step.when && scalar(*step.when) == 0) return true;
    switch (step.kind) {
      case MethodStep::Kind::apply:
      case MethodStep::Kind::vector:
      case MethodStep::Kind::scalar:
        moved_ = moved_ || step.kind != MethodStep::Kind::scalar;
        for (const Assignment& assignment : step.assignments) assign(assignment);
        break;
      case MethodStep::Kind::check:
        check(step);
        break;
      case MethodStep::Kind::repeat:
        over_range(step.index, step.range[0], step.range[1], step.falls,
                   [&] { return run_steps(step.body); });
        break;
      case MethodStep::Kind::leave:
        return false;
    }
    return !ended_;
  }

  const Method& method_;
  MethodNames names_;
  CsrView<double> matrix_;
  Values diagonal_;
  std::map<int, std::vector<Values>> inverse_blocks_;  ///< by the rows of a block
  NamedNumbers parameters_;
  std::map<std::string, std::vector<std::int64_t>> sizes_;
  std::map<std::string, std::vector<Values>> vectors_;
  std::map<std::string, Values> scalars_;  ///< rows of an array one behind the other
  std::map<std::string, double> given_;    ///< with the indices of open ranges
  std::optional<Outcome> ended_;
  bool moved_ = false;  ///< whether the iteration had a product or a pass over vectors
  std::string place_;   ///< of the step that runs
};

}  // namespace

ReferenceResult reference_run(const Method& method, const CsrView<double>& matrix,
                              std::span<const double> b, std::span<const double> x,
                              const ReferenceOptions& options) {
  check_method(method);
  for (const Declaration& each : method.vectors) {
    if (each.space == Declaration{}.space) continue;
    throw Error("schedule '" + method.name + "': vector '" + each.name + "' lies in '" +
                each.space + "'; a run knows the space '" + Declaration{}.space + "' alone");
  }
  const auto rows = static_cast<std::size_t>(matrix.rows);
  if (matrix.columns != matrix.rows || b.size() != rows || x.size() != rows) {
    throw Error("schedule '" + method.name + "': expected a square matrix and vectors of its size");
  }
  return ReferenceRun(method, matrix, b, x, options).run(options.most_iterations);
}

}  // namespace sparsecast
