#include "model/traffic/pass_counts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/schedule/diagonal_blocks.hpp"
#include "model/step_kinds.hpp"

namespace sparsecast {
namespace {

/// These kinds of operations, but for those of the third round of a pattern and later ones: loops,
/// whose instructions are there.
std::vector<int> without_repeats(std::span<const int> kinds) {
  constexpr std::size_t longest_pattern = 12;
  // By period: how many of the last operations are what they were a period before.
  std::array<std::size_t, longest_pattern + 1> same{};
  std::vector<int> kept;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    bool repeats = false;
    for (std::size_t period = 1; period <= std::min(longest_pattern, i); ++period) {
      same[period] = kinds[i] == kinds[i - period] ? same[period] + 1 : 0;
      repeats = repeats || same[period] >= 2 * period;
    }
    if (!repeats) kept.push_back(kinds[i]);
  }
  return kept;
}

/// Of what stands behind one kernel of a schedule with so many scalars.
class KernelEnd {
 public:
  explicit KernelEnd(std::size_t scalars) : depths_(scalars, 0) {}

  /// Begins with another kernel.
  void clear() {
    for (const ScalarSlot each : assigned_) depths_[static_cast<std::size_t>(each)] = 0;
    assigned_.clear();
    kinds_.clear();
    chain_ = 0;
  }

  void add(const Step& step) {
    const int guard = step.guard ? std::max(depth(step.guard->a), depth(step.guard->b)) : 0;
    for (const ScalarAssignment& each : step.assignments) {
      int& target = depths_[static_cast<std::size_t>(each.target)];
      assigned_.push_back(each.target);
      // Where it is skipped the value from before holds.
      const int before =
          step.guard || each.operation == ScalarOperation::count_unless_smaller ? target : 0;
      target = 1 + std::max({guard, before, depth(each.a), depth(each.b), depth(each.c)});
      chain_ = std::max(chain_, target);
      kinds_.push_back(static_cast<int>(each.operation));
    }
    constexpr int test = -1;
    for (const StopTest& each : step.stop_tests) {
      chain_ = std::max(chain_, 1 + std::max(depth(each.test.a), depth(each.test.b)));
      kinds_.push_back(test);
    }
  }

  bool is_empty() const { return kinds_.empty(); }
  int operations() const { return static_cast<int>(kinds_.size()); }
  std::vector<int> different_operations() const { return without_repeats(kinds_); }
  int chain() const { return chain_; }

 private:
  int depth(ScalarSlot slot) const {
    return slot < 0 ? 0 : depths_[static_cast<std::size_t>(slot)];
  }

  std::vector<int> depths_;           ///< by scalar
  std::vector<ScalarSlot> assigned_;  ///< whose depths these are
  std::vector<int> kinds_;
  int chain_ = 0;
};

int further_sums(const Step& step) {
  auto sums = static_cast<int>(step.sums.size());
  for (const PassBlock& block : blocks_of(step)) sums -= block.of_dots() ? block.count : 0;
  return std::max(0, sums - 1);
}

/// What makes kernels the same: a product's sums, and its blocks if it is by those; a pass's
/// statements and the operations behind it, whichever scalars they are of.
struct Instructions {
  bool product = false;
  bool sums = false;
  int block_rows = 0;  ///< of a product by diagonal blocks, which is a `product` too
  VectorPass pass;
  std::vector<int> operations;

  friend bool operator==(const Instructions&, const Instructions&) = default;

  /// Of those of a kernel with sums.
  double size() const { return sums || product ? 1 : 2.0 / 3; }
};

/// In the order in which the statements name them.
void number_operands(VectorPass& pass) {
  std::map<int, int> numbers;
  const auto number = [&numbers](int& operand) {
    if (operand >= 0) {
      operand = numbers.emplace(operand, static_cast<int>(numbers.size())).first->second;
    }
  };
  for (PassStatement& statement : pass.statements) {
    for (int* operand : {&statement.target, &statement.a, &statement.b}) number(*operand);
    for (PassTerm& term : statement.terms) {
      number(term.operand);
      number(term.times);
    }
  }
}

Instructions instructions_of(const Step& step, std::vector<int> operations) {
  const int block_rows = multiplies_by_blocks(step) ? block_rows_of(step) : 0;
  Instructions instructions{!step.pass, sums(step), block_rows, {}, {}};
  if (!step.pass) return instructions;
  instructions.pass = *step.pass;
  for (PassStatement& statement : instructions.pass.statements) {
    for (PassTerm& term : statement.terms) term.scalar = std::min(term.scalar, 0);
  }
  // How many vectors a block has is none of its instructions.
  const std::vector<PassBlock> blocks = blocks_of(step);
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    auto& statements = instructions.pass.statements;
    const auto statement = statements.begin() + block->statement;
    if (block->of_dots()) {
      statements.erase(statement + 1, statement + block->count);
    } else {
      const auto term = statement->terms.begin() + block->first_term;
      statement->terms.erase(term + 1, term + block->count);
    }
  }
  number_operands(instructions.pass);
  instructions.operations = std::move(operations);
  return instructions;
}

/// Those that do not stay (an H200: of kernels with sums four do).
double fetched(const std::vector<Instructions>& different) {
  constexpr double stay = 4;
  double size = 0;
  for (const Instructions& each : different) size += each.size();
  return std::max(0.0, size - stay);
}

}  // namespace

PassCounts pass_counts(const Schedule& schedule) {
  std::vector<const Step*> steps;
  for (const Step& step : schedule.iteration) {
    if (runs_mostly(step)) steps.push_back(&step);
  }
  const auto is_kernel = [](const Step* step) { return runs_kernel(*step); };
  // What precedes the first kernel follows the last one of the iteration before.
  const auto first = std::ranges::find_if(steps, is_kernel);
  const bool leads = std::any_of(steps.begin(), first, [](const Step* step) {
    return !step->assignments.empty() || !step->stop_tests.empty();
  });
  std::rotate(steps.begin(), first, steps.end());

  PassCounts counts;
  std::vector<Instructions> different;
  counts.iteration = leads || std::ranges::any_of(schedule.iteration, [](const Step& step) {
                       return step.kind == StepKind::check;
                     });
  KernelEnd end(schedule.scalars.size());
  for (auto at = steps.begin(); at != steps.end();) {
    const Step& kernel = **at;
    const auto next = std::find_if(at + 1, steps.end(), is_kernel);
    end.clear();
    for (auto step = at + 1; step != next; ++step) end.add(**step);
    const bool is_last = next == steps.end();
    if (!end.is_empty() || (is_last && counts.iteration)) {
      ++counts.kernels;
      counts.unsummed += sums(kernel) ? 0 : 1;
    }
    std::vector<int> operations;
    if (kernel.pass) {
      operations = end.different_operations();
      counts.operations += static_cast<int>(operations.size());
      counts.further_sums += further_sums(kernel);
    } else {
      counts.interpreted += end.operations();
    }
    counts.chain += end.chain();
    counts.guarded += kernel.guard ? 1 : 0;
    Instructions instructions = instructions_of(kernel, std::move(operations));
    if (std::ranges::find(different, instructions) == different.end()) {
      different.push_back(std::move(instructions));
    }
    at = next;
  }
  counts.fetched = fetched(different);
  return counts;
}

}  // namespace sparsecast
