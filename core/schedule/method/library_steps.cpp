#include "core/schedule/method/library_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/schedule/method/growing_pass.hpp"
#include "core/schedule/pass_step.hpp"
#include "core/schedule/steps.hpp"

namespace sparsecast {
namespace {

using Kind = MethodOperation::Kind;
using Place = LibraryExecution::Place;

class LibrarySteps {
 public:
  LibrarySteps(const std::vector<MethodOperation>& operations, const LibraryExecution& library,
               ScalarSlot zero)
      : operations_(operations), library_(library), zero_(zero) {}

  std::vector<Step> make() {
    for (std::size_t at = 0; at < operations_.size();) at = add(at);
    return std::move(steps_);
  }

 private:
  /// The operation at this place, with the others of its step; returns the next place.
  std::size_t add(std::size_t at) {
    const MethodOperation& first = operations_[at];
    switch (first.kind) {
      case Kind::apply: {
        Step step = library_product_step(first.input, first.target);
        step.transposed = first.transposed;
        push(std::move(step), first);
        return at + 1;
      }
      case Kind::assign:
      case Kind::dot:
        return add_pass(at);
      case Kind::scalars:
        return add_scalars(at);
      case Kind::check:
        break;
    }
    add_check(first);
    return at + 1;
  }

  /// Under the condition of an operation.
  void push(Step step, const MethodOperation& operation) {
    if (operation.guard >= 0) {
      step.guard = ScalarTest{zero_, Comparison::less, operation.guard};
      step.guard_mostly_holds = !operation.is_rare;
    }
    steps_.push_back(std::move(step));
  }

  void push_kernel_of_scalars(const MethodOperation& operation,
                              std::vector<ScalarAssignment> assignments) {
    Step step = scalar_step(std::move(assignments));
    step.kind = StepKind::kernel;
    step.launches = 1;
    push(std::move(step), operation);
  }

  void push_wait(const MethodOperation& operation) {
    Step step;
    step.kind = StepKind::barrier;
    step.name = "HostWait";
    push(std::move(step), operation);
    is_summed_ = false;
  }

  bool is_of_step(std::size_t at, const MethodOperation& first) const {
    return at < operations_.size() && operations_[at].step == first.step &&
           operations_[at].guard == first.guard;
  }

  /// Weights of vectors, which are computed in front of the kernel; returns the next place.
  std::size_t add_weights(std::size_t at, const MethodOperation& first) {
    std::size_t next = at;
    while (next < operations_.size() && operations_[next].kind == Kind::scalars &&
           operations_[next].step < 0) {
      ++next;
    }
    if (!is_of_step(next, first)) return at;
    for (; at < next; ++at) push(scalar_step(operations_[at].assignments), operations_[at]);
    return at;
  }

  std::size_t add_pass(std::size_t at) {
    const MethodOperation& first = operations_[at];
    GrowingPass pass;
    while (is_of_step(at, first) && pass.take(operations_[at])) at = add_weights(at + 1, first);
    Step step = pass_step(pass.pass(), pass.operands(), pass.sums());
    const bool sums = !step.sums.empty();
    if (is_of_cublas(pass.pass())) {
      step.name = sums ? "cublasDot" : "cublasAxpy";
      step.launches = sums ? 2 : 1;  // sums of thread blocks, and their sum
      step.pass.reset();
    }
    push(std::move(step), first);
    is_summed_ = is_summed_ || sums;
    if (sums && library_.sums == Place::host) push_wait(first);
    return at;
  }

  /// Whether it is one dot product, or what cuBLAS can assign: axpy, scal or copy.
  bool is_of_cublas(const VectorPass& pass) const {
    if (pass.statements.size() != 1) return false;
    const PassStatement& statement = pass.statements.front();
    if (statement.target < 0) return true;
    const std::vector<PassTerm>& terms = statement.terms;
    const auto is_target = [&](const PassTerm& term) { return term.operand == statement.target; };
    return library_.cublas_vectors && terms.size() <= 2 &&
           (terms.size() < 2 || std::ranges::any_of(terms, is_target)) &&
           std::ranges::all_of(terms, [](const PassTerm& term) { return term.times < 0; });
  }

  std::size_t add_scalars(std::size_t at) {
    const MethodOperation& first = operations_[at];
    std::vector<ScalarAssignment> assignments = first.assignments;
    for (++at; first.step >= 0 && is_of_step(at, first); ++at) {
      const std::vector<ScalarAssignment>& more = operations_[at].assignments;
      assignments.insert(assignments.end(), more.begin(), more.end());
    }
    const bool is_call = first.step >= 0 && std::ranges::any_of(assignments, computes);
    if (is_call && library_.scalars == Place::device) {
      push_kernel_of_scalars(first, std::move(assignments));
      return at;
    }
    const bool reads = library_.scalars == Place::host && library_.sums == Place::device;
    if (is_call && reads && is_summed_) push_wait(first);
    push(scalar_step(std::move(assignments)), first);
    return at;
  }

  static bool computes(const ScalarAssignment& assignment) {
    return assignment.operation != ScalarOperation::copy &&
           assignment.operation != ScalarOperation::square_root;
  }

  void add_check(const MethodOperation& operation) {
    if (library_.sums == Place::device) {
      for (int k = 0; k < library_.check_kernels; ++k) push_kernel_of_scalars(operation, {});
      for (int k = 0; k < library_.check_waits; ++k) push_wait(operation);
    }
    push(check_step({operation.test}), operation);
  }

  const std::vector<MethodOperation>& operations_;
  const LibraryExecution& library_;
  const ScalarSlot zero_;
  std::vector<Step> steps_;
  bool is_summed_ = true;  ///< something may be on the device that the host has not waited for
};

}  // namespace

std::vector<Step> library_steps(const std::vector<MethodOperation>& operations,
                                const LibraryExecution& library, ScalarSlot zero) {
  return LibrarySteps(operations, library, zero).make();
}

}  // namespace sparsecast
