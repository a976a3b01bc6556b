#include "core/schedule/carried_exchange.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace sparsecast {
namespace {

bool works_on_vectors(const Step& step) {
  return step.kind == StepKind::kernel || step.kind == StepKind::reduce;
}

bool assigns(const Step& step, VectorSlot slot) {
  for (std::size_t k = 0; k < step.vectors.size() && k < step.accesses.size(); ++k) {
    if (step.vectors[k] == slot && step.accesses[k] != VectorAccess::read) return true;
  }
  return false;
}

/// The step before it, around the iteration's end, but for those that work on scalars.
std::size_t before(std::span<const Step> steps, std::size_t index) {
  for (std::size_t k = 1; k <= steps.size(); ++k) {
    const std::size_t place = (index + steps.size() - k) % steps.size();
    const StepKind kind = steps[place].kind;
    if (kind != StepKind::host_scalar && kind != StepKind::check) return place;
  }
  return index;
}

/// The one vector beside `target` that a kernel makes it of, if it is so simple.
std::optional<VectorSlot> made_of(const Step& step, VectorSlot target) {
  if (step.name == "CGDirection" && step.vectors[1] == target) return step.vectors[0];
  if (!step.pass || !pass_blocks(*step.pass, static_cast<int>(step.vectors.size())).empty()) {
    return std::nullopt;
  }
  std::optional<VectorSlot> source;
  bool found = false;
  for (const PassStatement& statement : step.pass->statements) {
    if (statement.target < 0) return std::nullopt;
    if (step.vectors[static_cast<std::size_t>(statement.target)] != target) continue;
    if (found) return std::nullopt;
    found = true;
    for (const PassTerm& term : statement.terms) {
      const VectorSlot read = step.vectors[static_cast<std::size_t>(term.operand)];
      if (term.times >= 0 || (read != target && source && *source != read)) return std::nullopt;
      if (read != target) source = read;
    }
  }
  // What the pass itself assigns has no halo.
  if (!source || assigns(step, *source)) return std::nullopt;
  return source;
}

}  // namespace

std::vector<CarriedExchange> carried_exchanges(std::span<const Step> iteration) {
  std::vector<CarriedExchange> carried;
  for (std::size_t index = 0; index < iteration.size(); ++index) {
    const Step& exchange = iteration[index];
    if (exchange.kind != StepKind::exchange || exchange.vectors.size() != 1) continue;
    const VectorSlot vector = exchange.vectors.front();
    CarriedExchange found;
    found.exchange = index;
    found.assigns = before(iteration, index);
    found.sums = before(iteration, found.assigns);
    const Step& last = iteration[found.assigns];
    const Step& sums = iteration[found.sums];
    if (last.kind != StepKind::kernel || sums.kind != StepKind::kernel) continue;
    if (found.sums >= found.assigns) continue;
    if (exchange.guard || last.guard || sums.guard) continue;
    if (!last.sums.empty() || sums.sums.empty()) continue;
    const std::optional<VectorSlot> source = made_of(last, vector);
    // An earlier value of v has a halo where every value of v gets one.
    const auto assigning = std::ranges::count_if(iteration, [&](const Step& step) {
      return works_on_vectors(step) && assigns(step, vector);
    });
    if (!source || !assigns(sums, *source) || assigning != 1) continue;
    found.carried = *source;
    carried.push_back(found);
  }
  return carried;
}

}  // namespace sparsecast
