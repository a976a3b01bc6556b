#include <algorithm>
#include <set>

#include "core/schedule/persistent/iteration_items.hpp"

namespace sparsecast {
namespace {

using Kind = PlannedItem::Kind;

class MovableStatements {
 public:
  MovableStatements(const Schedule& schedule, PersistentPlan& plan)
      : schedule_(schedule), plan_(plan) {}

  void find() {
    for (std::size_t i = 0; i < plan_.items.size(); ++i) {
      PlannedItem& item = plan_.items[i];
      if (item.kind != Kind::pass || item.guard) continue;
      if (i + 1 < plan_.items.size() && plan_.items[i + 1].waits) find_later(item);
      find_sooner(i);
    }
  }

 private:
  const PlannedVector& vector(int v) const { return plan_.vectors[static_cast<std::size_t>(v)]; }

  /// Whether no other block and no register of its pass knows of it.
  bool is_by_itself(const PlannedStatement& each) const {
    const int target = each.statement.target;
    if (target < 0 || each.publishes || each.on_halo || vector(target).published >= 0) return false;
    if (vector(target).kind == PlannedVector::Kind::temporary) return false;
    return std::ranges::none_of(operands_read(each.statement), [this](int v) {
      return vector(v).kind == PlannedVector::Kind::temporary;
    });
  }

  /// Whether the order of two statements matters.
  static bool depend(const PassStatement& one, const PassStatement& other) {
    const auto reads = [](const PassStatement& statement, int v) {
      return v >= 0 && std::ranges::count(operands_read(statement), v) > 0;
    };
    return reads(one, other.target) || reads(other, one.target) ||
           (one.target >= 0 && one.target == other.target);
  }

  void find_later(PlannedItem& pass) const {
    auto& all = pass.statements;
    for (std::size_t s = all.size(); s-- > 0;) {
      all[s].later =
          is_by_itself(all[s]) && std::none_of(all.begin() + static_cast<std::ptrdiff_t>(s) + 1,
                                               all.end(), [&](const PlannedStatement& behind) {
                                                 return !behind.later &&
                                                        depend(all[s].statement, behind.statement);
                                               });
    }
  }

  /// What the controls directly before the item assign; nothing where they may end the run, or none
  /// of them waits.
  std::optional<std::set<ScalarSlot>> assigned_before(std::size_t i) const {
    std::set<ScalarSlot> assigned;
    while (i-- > 0 && plan_.items[i].kind == Kind::control) {
      const PlannedItem& control = plan_.items[i];
      if (control.ends_iteration) return std::nullopt;
      assigned.insert(control.stored.begin(), control.stored.end());
      for (const int index : control.steps) {
        const Step& step = schedule_.iteration[static_cast<std::size_t>(index)];
        if (step.kind == StepKind::check) return std::nullopt;
        for (const ScalarAssignment& each : step.assignments) assigned.insert(each.target);
      }
      if (control.waits) return assigned;
    }
    return std::nullopt;
  }

  void find_sooner(std::size_t i) {
    const std::optional<std::set<ScalarSlot>> assigned = assigned_before(i);
    if (!assigned) return;
    auto& all = plan_.items[i].statements;
    for (std::size_t s = 0; s < all.size(); ++s) {
      const bool known = std::ranges::none_of(all[s].statement.terms, [&](const PassTerm& term) {
        return assigned->contains(term.scalar);
      });
      all[s].sooner =
          known && !all[s].later && is_by_itself(all[s]) &&
          std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(s),
                       [&](const PlannedStatement& before) {
                         return !before.sooner && depend(all[s].statement, before.statement);
                       });
    }
  }

  const Schedule& schedule_;
  PersistentPlan& plan_;
};

}  // namespace

void find_movable_statements(const Schedule& schedule, PersistentPlan& plan) {
  MovableStatements(schedule, plan).find();
}

}  // namespace sparsecast
