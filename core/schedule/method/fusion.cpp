#include "core/schedule/method/fusion.hpp"

#include <algorithm>
#include <optional>

#include "core/schedule/method/growing_pass.hpp"

namespace sparsecast {
namespace {

using Kind = MethodOperation::Kind;

/// Where arrangements of more operations in all would have to be made only the first one is tried.
constexpr std::size_t most_arranged = 4096;
/// A kernel more costs as much as these values per unknown.
constexpr double values_per_kernel = 1;

bool is_row_by_row(const MethodOperation& operation) {
  return operation.kind == Kind::assign || operation.kind == Kind::dot;
}

std::set<VectorSlot> vectors_read(const MethodOperation& operation) {
  std::set<VectorSlot> slots;
  for (const LinearTerm& term : operation.terms) {
    slots.insert(term.vector);
    if (term.times >= 0) slots.insert(term.times);
  }
  if (operation.kind == Kind::dot) slots = {operation.a, operation.b};
  if (operation.kind == Kind::apply) slots = {operation.input};
  return slots;
}

/// What comes after what, from what operations read and write.
class Order {
 public:
  struct Edge {
    std::size_t before = 0;
    /// Both work row by row on the same vector, which one pass may do in order.
    bool may_share_pass = false;
  };

  Order(const std::vector<MethodOperation>& operations, const ObservedSlots& observed)
      : operations_(operations), before_(operations.size()), after_(operations.size()) {
    for (std::size_t i = 0; i < operations.size(); ++i) add(i, observed);
  }

  const std::vector<Edge>& before(std::size_t operation) const { return before_[operation]; }
  const std::vector<std::size_t>& after(std::size_t operation) const { return after_[operation]; }

 private:
  struct Uses {
    std::optional<std::size_t> writer;
    std::vector<std::size_t> readers;  ///< since
  };

  /// Slots count from 0.
  class UsesBySlot {
   public:
    Uses& operator[](int slot) {
      const auto place = static_cast<std::size_t>(slot);
      if (place >= uses_.size()) uses_.resize(place + 1);
      return uses_[place];
    }

   private:
    std::vector<Uses> uses_;
  };

  void add(std::size_t i, const ObservedSlots& observed) {
    const MethodOperation& operation = operations_[i];
    for (const VectorSlot slot : vectors_read(operation)) read(i, vectors_[slot], true);
    if (operation.guard >= 0) read(i, scalars_[operation.guard], false);
    for (const LinearTerm& term : operation.terms) {
      if (term.scalar >= 0) read(i, scalars_[term.scalar], false);
    }
    for (const ScalarAssignment& assignment : operation.assignments) {
      for (const ScalarSlot slot : {assignment.a, assignment.b, assignment.c}) {
        if (slot >= 0) read(i, scalars_[slot], false);
      }
      write(i, scalars_[assignment.target], false);
    }
    if (operation.kind == Kind::check) {
      read(i, scalars_[operation.test.test.a], false);
      read(i, scalars_[operation.test.test.b], false);
      for (const VectorSlot slot : observed.vectors) read(i, vectors_[slot], false);
      for (const ScalarSlot slot : observed.scalars) read(i, scalars_[slot], false);
      // The first that holds ends the run.
      if (last_check_) depend(i, *last_check_, false);
      last_check_ = i;
    }
    if (operation.target >= 0) write(i, vectors_[operation.target], true);
    if (operation.sum >= 0) write(i, scalars_[operation.sum], false);
  }

  void depend(std::size_t i, std::size_t on, bool by_vector) {
    if (on == i) return;
    const bool share = by_vector && is_row_by_row(operations_[i]) && is_row_by_row(operations_[on]);
    before_[i].push_back({on, share});
    after_[on].push_back(i);
  }
  void read(std::size_t i, Uses& uses, bool by_vector) {
    if (uses.writer) depend(i, *uses.writer, by_vector);
    uses.readers.push_back(i);
  }
  void write(std::size_t i, Uses& uses, bool by_vector) {
    if (uses.writer) depend(i, *uses.writer, by_vector);
    for (const std::size_t reader : uses.readers) depend(i, reader, by_vector);
    uses.writer = i;
    uses.readers.clear();
  }

  const std::vector<MethodOperation>& operations_;
  std::vector<std::vector<Edge>> before_;
  std::vector<std::vector<std::size_t>> after_;  ///< as often as in `before_`
  UsesBySlot vectors_;
  UsesBySlot scalars_;
  std::optional<std::size_t> last_check_;
};

/// Puts operations into groups, one group after the other.
class Grouping {
 public:
  /// `delays`: how many passes an operation lets go by.
  Grouping(const std::vector<MethodOperation>& operations, const Order& order,
           const std::vector<int>& delays)
      : operations_(operations),
        order_(order),
        delays_(delays),
        state_(operations.size(), State::waiting),
        first_pass_(operations.size(), -1) {
    for (std::size_t i = 0; i < operations.size(); ++i) {
      waits_for_.push_back(order.before(i).size());
      if (waits_for_.back() == 0) ready_.insert(i);
      if (is_row_by_row(operations[i])) rows_.push_back(i);
    }
  }

  std::vector<OperationGroup> groups() {
    while (true) {
      take_between_kernels();
      if (ready_.empty()) return std::move(groups_);
      if (!take_kernel(false)) take_kernel(true);
    }
  }

 private:
  enum class State : char { waiting, in_pass, done };

  /// Whether a pass, as far as it is made, may take a row-by-row operation.
  bool may_follow(std::size_t i) const {
    return waits_for_[i] == 0 ||
           std::ranges::all_of(order_.before(i), [&](const Order::Edge& edge) {
             return state_[edge.before] == State::done ||
                    (edge.may_share_pass && state_[edge.before] == State::in_pass);
           });
  }

  void finish(std::size_t i) {
    state_[i] = State::done;
    ready_.erase(i);
    for (const std::size_t later : order_.after(i)) {
      if (--waits_for_[later] == 0 && state_[later] == State::waiting) ready_.insert(later);
    }
  }

  void take_between_kernels() {
    for (auto next = ready_.begin(); next != ready_.end();) {
      const std::size_t i = *next;
      const Kind kind = operations_[i].kind;
      if (kind == Kind::scalars || kind == Kind::check) {
        finish(i);  // what waited for it stands behind it
        groups_.push_back({{i}});
      }
      next = ready_.upper_bound(i);
    }
  }

  /// `hasty`: delays do not count.
  bool take_kernel(bool hasty) {
    for (const std::size_t i : ready_) {
      if (operations_[i].kind == Kind::apply) {
        take_product(i);
        return true;
      }
      if (is_row_by_row(operations_[i]) && may_join(i, hasty)) {
        take_pass(i, hasty);
        return true;
      }
    }
    return false;
  }

  bool may_join(std::size_t i, bool hasty) {
    if (first_pass_[i] < 0) first_pass_[i] = passes_;
    return hasty || passes_ >= first_pass_[i] + delays_[i];
  }

  void take_product(std::size_t i) {
    OperationGroup group{{i}};
    finish(i);
    const MethodOperation& product = operations_[i];
    for (auto next = ready_.upper_bound(i); next != ready_.end(); ++next) {
      const std::size_t k = *next;
      const MethodOperation& dot = operations_[k];
      const bool fits = dot.kind == Kind::dot && dot.guard == product.guard &&
                        ((dot.a == product.input && dot.b == product.target) ||
                         (dot.b == product.input && dot.a == product.target));
      if (!fits) continue;
      finish(k);
      group.operations.push_back(k);
      break;
    }
    groups_.push_back(std::move(group));
  }

  void take_pass(std::size_t first, bool hasty) {
    OperationGroup group;
    GrowingPass pass;
    for (auto next = std::ranges::lower_bound(rows_, first); next != rows_.end(); ++next) {
      const std::size_t i = *next;
      const MethodOperation& operation = operations_[i];
      if (state_[i] != State::waiting || operation.guard != operations_[first].guard ||
          !may_follow(i)) {
        continue;
      }
      if (!may_join(i, hasty && i == first) || !pass.take(operation)) continue;
      state_[i] = State::in_pass;
      group.operations.push_back(i);
    }
    for (const std::size_t i : group.operations) finish(i);
    groups_.push_back(std::move(group));
    ++passes_;
  }

  const std::vector<MethodOperation>& operations_;
  const Order& order_;
  const std::vector<int>& delays_;
  std::vector<State> state_;
  std::vector<std::size_t> waits_for_;  ///< edges from what is not done
  std::set<std::size_t> ready_;         ///< those that wait for nothing
  std::vector<std::size_t> rows_;       ///< those that work row by row
  std::vector<int> first_pass_;
  std::vector<OperationGroup> groups_;
  int passes_ = 0;
};

}  // namespace

ObservedSlots slots_read(const std::vector<MethodOperation>& operations) {
  ObservedSlots read;
  const auto add = [&read](ScalarSlot slot) {
    if (slot >= 0) read.scalars.insert(slot);
  };
  for (const MethodOperation& operation : operations) {
    read.vectors.merge(vectors_read(operation));
    add(operation.guard);
    for (const LinearTerm& term : operation.terms) add(term.scalar);
    for (const ScalarAssignment& each : operation.assignments) {
      for (const ScalarSlot slot : {each.a, each.b, each.c}) add(slot);
    }
  }
  return read;
}

double moved_values(const std::vector<MethodOperation>& operations,
                    const std::vector<OperationGroup>& groups) {
  double moved = 0;
  for (const OperationGroup& group : groups) {
    std::set<VectorSlot> read;
    std::set<VectorSlot> written;
    for (const std::size_t i : group.operations) {
      for (const VectorSlot slot : vectors_read(operations[i])) {
        if (!written.contains(slot)) read.insert(slot);
      }
      if (operations[i].target >= 0) written.insert(operations[i].target);
    }
    if (read.empty() && written.empty()) continue;
    moved += values_per_kernel + static_cast<double>(read.size() + written.size());
  }
  return moved;
}

std::vector<OperationGroup> grouped(const std::vector<MethodOperation>& operations,
                                    const ObservedSlots& observed, bool fused) {
  if (!fused) {
    std::vector<OperationGroup> groups;
    for (std::size_t i = 0; i < operations.size(); ++i) groups.push_back({{i}});
    return groups;
  }
  const Order order(operations, observed);
  std::vector<int> delays(operations.size(), 0);
  const auto arrange = [&] { return Grouping(operations, order, delays).groups(); };
  std::vector<OperationGroup> best = arrange();
  std::vector<std::size_t> movable;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].kind == Kind::assign) movable.push_back(i);
  }
  if (movable.size() * operations.size() > most_arranged) return best;
  double least = moved_values(operations, best);
  for (const std::size_t i : movable) {
    delays[i] = 1;
    std::vector<OperationGroup> other = arrange();
    const double moved = moved_values(operations, other);
    if (moved < least) {
      least = moved;
      best = std::move(other);
    } else {
      delays[i] = 0;
    }
  }
  return best;
}

}  // namespace sparsecast
