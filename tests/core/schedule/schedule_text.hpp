#pragma once

#include <cstdio>
#include <string>

#include "core/schedule/diagonal_blocks.hpp"
#include "core/schedule/pass_step.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// A schedule as text, a step a line: what golden tests hold against.
class ScheduleText {
 public:
  explicit ScheduleText(const Schedule& schedule) : schedule_(schedule) {}

  std::string of(const std::vector<Step>& steps) const {
    std::string text;
    for (const Step& step : steps) text += line(step) + '\n';
    return text;
  }

 private:
  std::string vector(VectorSlot slot) const {
    return schedule_.vectors[static_cast<std::size_t>(slot)].name;
  }
  std::string scalar(ScalarSlot slot) const {
    return schedule_.scalars[static_cast<std::size_t>(slot)].name;
  }
  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
  }

  std::string line(const Step& step) const {
    std::string text = what(step);
    if (step.guard) text += "  when " + test(*step.guard);
    return text;
  }

  std::string test(const ScalarTest& test) const {
    return scalar(test.a) + (test.comparison == Comparison::less ? " < " : " <= ") + scalar(test.b);
  }

  std::string what(const Step& step) const {
    switch (step.kind) {
      case StepKind::exchange:
        return "exchange " + vector(step.vectors.back());
      case StepKind::barrier:
        return "barrier";
      case StepKind::reduce:
        return "reduce " + vector(step.vectors[0]);
      case StepKind::check: {
        std::string text = "check";
        for (const StopTest& each : step.stop_tests) {
          text += ' ' + test(each.test) + ": " + std::string(to_string(each.outcome));
        }
        return text;
      }
      case StepKind::host_scalar: {
        std::string text = "scalars";
        for (const ScalarAssignment& each : step.assignments) text += ' ' + scalar(each.target);
        return text;
      }
      case StepKind::kernel:
        break;
    }
    if (step.pass) return pass(step);
    const std::size_t input = multiplies_by_blocks(step) ? step.vectors.size() - 2 : 0;
    const std::string by = input > 0         ? "(" + vector(step.vectors[0]) + "..)*"
                           : step.transposed ? "At*"
                                             : "A*";
    std::string text =
        "product " + vector(step.vectors[input + 1]) + " = " + by + vector(step.vectors[input]);
    if (!step.sums.empty()) text += ", " + scalar(step.sums[0]) + " = dot";
    return text;
  }

  std::string pass(const Step& step) const {
    const auto operand = [&](int place) {
      return vector(step.vectors[static_cast<std::size_t>(place)]);
    };
    std::string text = "pass";
    std::size_t sum = 0;
    for (const PassStatement& statement : step.pass->statements) {
      text += text == "pass" ? " " : "; ";
      if (statement.target < 0) {
        text += scalar(step.sums[sum++]) + " = dot(" + operand(statement.a) + ", " +
                operand(statement.b) + ")";
        continue;
      }
      text += operand(statement.target) + " =";
      if (statement.terms.empty()) text += " 0";
      for (const PassTerm& term : statement.terms) {
        text += (term.factor < 0 ? " -" : " +");
        const double size = term.factor < 0 ? -term.factor : term.factor;
        if (size != 1) text += number(size) + "*";
        if (term.scalar >= 0) text += scalar(term.scalar) + "*";
        if (term.times >= 0) text += operand(term.times) + "*";
        text += operand(term.operand);
      }
    }
    return text + "  [" + number(step.traffic.vector_reads_per_unknown) + " read, " +
           number(step.traffic.vector_writes_per_unknown) + " written]";
  }

  const Schedule& schedule_;
};

}  // namespace sparsecast
