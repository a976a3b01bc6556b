#include "core/schedule/split_pass.hpp"

#include <algorithm>
#include <utility>

#include "core/schedule/pass_step.hpp"

namespace sparsecast {
namespace {

/// Statements of a pass that become one of their own, with the operands that they use.
class SmallPass {
 public:
  explicit SmallPass(const Step& whole) : whole_(whole) {}

  /// Takes a statement of the whole pass in, if there is room; `sum`: of a dot product.
  bool take(PassStatement statement, ScalarSlot sum) {
    const std::size_t before = operands_.size();
    for (PassTerm& term : statement.terms) {
      term.operand = place(term.operand);
      term.times = place(term.times);
    }
    statement.target = place(statement.target);
    statement.a = place(statement.a);
    statement.b = place(statement.b);
    const bool is_dot = statement.target < 0;
    pass_.statements.push_back(std::move(statement));
    const auto count = static_cast<int>(operands_.size());
    if (fault_of_sizes(pass_, count) || !pass_blocks(pass_, count).empty()) {
      pass_.statements.pop_back();
      operands_.resize(before);
      return false;
    }
    if (is_dot) sums_.push_back(sum);
    return true;
  }

  bool empty() const { return pass_.statements.empty(); }
  void clear() {
    pass_.statements.clear();
    operands_.clear();
    sums_.clear();
  }

  Step step() const {
    std::vector<VectorSlot> vectors;
    for (const int operand : operands_) {
      vectors.push_back(whole_.vectors[static_cast<std::size_t>(operand)]);
    }
    Step made = pass_step(pass_, vectors, sums_);
    made.guard = whole_.guard;
    return made;
  }

 private:
  int place(int operand) {
    if (operand < 0) return -1;
    const auto found = std::ranges::find(operands_, operand);
    const auto where = static_cast<int>(found - operands_.begin());
    if (found == operands_.end()) operands_.push_back(operand);
    return where;
  }

  const Step& whole_;
  VectorPass pass_;
  std::vector<int> operands_;  ///< of the whole pass
  std::vector<ScalarSlot> sums_;
};

/// Puts statements into small passes, a new one where the last has no room.
class PassSplitter {
 public:
  explicit PassSplitter(const Step& step) : step_(step), pass_(step) {}

  std::vector<Step> steps() {
    auto sum = step_.sums.begin();
    for (const PassStatement& statement : step_.pass->statements) {
      if (statement.target < 0) {
        add(statement, *sum++);
      } else {
        add_assignment(statement);
      }
    }
    close();
    return std::move(steps_);
  }

 private:
  void add(const PassStatement& statement, ScalarSlot sum) {
    if (pass_.take(statement, sum)) return;
    close();
    pass_.take(statement, sum);
  }

  /// Terms with the target itself come first: the rest is added to what they made.
  void add_assignment(PassStatement statement) {
    if (pass_.take(statement, -1)) return;
    close();
    std::vector<PassTerm> terms = std::move(statement.terms);
    std::stable_partition(terms.begin(), terms.end(), [&](const PassTerm& term) {
      return term.operand == statement.target || term.times == statement.target;
    });
    std::size_t at = 0;
    while (at < terms.size()) {
      statement.terms.clear();
      if (at > 0) statement.terms.push_back({1, -1, statement.target, -1});
      while (at < terms.size()) {
        statement.terms.push_back(terms[at]);
        if (!SmallPass(step_).take(statement, -1)) {
          statement.terms.pop_back();
          break;
        }
        ++at;
      }
      add(statement, -1);
      if (at < terms.size()) close();
    }
  }

  void close() {
    if (!pass_.empty()) steps_.push_back(pass_.step());
    pass_.clear();
  }

  const Step& step_;
  SmallPass pass_;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<Step> without_blocks(const Step& step) {
  if (pass_blocks(*step.pass, static_cast<int>(step.vectors.size())).empty()) return {step};
  return PassSplitter(step).steps();
}

}  // namespace sparsecast
