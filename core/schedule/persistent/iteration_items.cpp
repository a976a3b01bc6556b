#include "core/schedule/persistent/iteration_items.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

using Kind = PlannedItem::Kind;

/// Puts the items together.
class ItemBuilder {
 public:
  explicit ItemBuilder(const Schedule& schedule) : schedule_(schedule) {
    plan_.scalars = static_cast<int>(schedule.scalars.size());
  }

  PersistentPlan make() {
    for (std::size_t i = 0; i < schedule_.iteration.size(); ++i) {
      add(schedule_.iteration[i], static_cast<int>(i));
    }
    control().ends_iteration = true;
    pull_dots();
    defer_controls();
    find_waits();
    find_joins();
    note_accesses();
    return std::move(plan_);
  }

 private:
  void add(const Step& step, int index) {
    switch (step.kind) {
      case StepKind::exchange:
      case StepKind::barrier:
        return;
      case StepKind::host_scalar:
      case StepKind::check:
        control().steps.push_back(index);
        return;
      case StepKind::reduce:
        throw Error("it reduces a vector in a step of its own");
      case StepKind::kernel:
        break;
    }
    if (step.guard && (!step.sums.empty() || !step.pass)) {
      throw Error("its step '" + step.name + "' does not always run");
    }
    PlannedItem item;
    item.steps = {index};
    item.guard = step.guard;
    item.sums = step.sums;
    if (step.name == "SpMV" || step.name == "SpMVDot") {
      if (step.transposed) throw Error("it multiplies by the transpose");
      item.kind = Kind::product;
      item.input = of_schedule(step.vectors[0]);
      item.output = of_schedule(step.vectors[1]);
      if (item.input == item.output) throw Error("it multiplies a vector into itself");
      PlannedVector& input = plan_.vectors[static_cast<std::size_t>(item.input)];
      if (input.window < 0) input.window = plan_.windows++;
    } else {
      item.kind = Kind::pass;
      if (step.pass) {
        add_pass(step, item);
      } else if (step.name == "CGResidual") {
        add_cg_residual(step, item);
      } else if (step.name == "CGDirection") {
        add_cg_direction(step, item);
      } else {
        throw Error("it has a step '" + step.name + "'");
      }
    }
    plan_.items.push_back(std::move(item));
  }

  /// The one that follows the last pass or product.
  PlannedItem& control() {
    if (plan_.items.empty() || plan_.items.back().kind != Kind::control) plan_.items.emplace_back();
    return plan_.items.back();
  }

  int planned(PlannedVector::Kind kind, VectorSlot slot) {
    for (std::size_t v = 0; v < plan_.vectors.size(); ++v) {
      const PlannedVector& of = plan_.vectors[v];
      if (of.kind == kind && of.slot == slot && kind != PlannedVector::Kind::temporary) {
        return static_cast<int>(v);
      }
    }
    plan_.vectors.push_back({kind, slot});
    return static_cast<int>(plan_.vectors.size()) - 1;
  }
  int of_schedule(VectorSlot slot) { return planned(PlannedVector::Kind::of_schedule, slot); }
  int temporary() { return planned(PlannedVector::Kind::temporary, -1); }

  void add_pass(const Step& step, PlannedItem& item) {
    if (!pass_blocks(*step.pass, static_cast<int>(step.vectors.size())).empty()) {
      throw Error("a pass of it is on arrays of vectors");
    }
    const auto operand = [&](int place) {
      return place < 0 ? -1 : of_schedule(step.vectors[static_cast<std::size_t>(place)]);
    };
    for (PassStatement statement : step.pass->statements) {
      statement.target = operand(statement.target);
      statement.a = operand(statement.a);
      statement.b = operand(statement.b);
      for (PassTerm& term : statement.terms) {
        term.operand = operand(term.operand);
        term.times = operand(term.times);
      }
      item.statements.push_back({std::move(statement)});
    }
  }

  static PlannedStatement assign(int target, std::vector<PassTerm> terms) {
    return {{target, std::move(terms), -1, -1}};
  }
  static PlannedStatement dot(int a) { return {{-1, {}, a, a}}; }

  /// z = z - t c^2 u, the squares of c^-1 z and of c^-2 z.
  void add_cg_residual(const Step& step, PlannedItem& item) {
    const int u = of_schedule(step.vectors[0]);
    const int z = of_schedule(step.vectors[2]);
    const int square = planned(PlannedVector::Kind::square, step.vectors[1]);
    const int inverse = planned(PlannedVector::Kind::inverse, step.vectors[1]);
    const int scaled = temporary();
    const int residual = temporary();
    item.statements = {assign(z, {{1, -1, z, -1}, {-1, step.scalars[0], u, square}}),
                       assign(scaled, {{1, -1, z, inverse}}),
                       assign(residual, {{1, -1, scaled, inverse}}), dot(scaled), dot(residual)};
  }

  /// x = x + t v, v = z + s v.
  void add_cg_direction(const Step& step, PlannedItem& item) {
    const int z = of_schedule(step.vectors[0]);
    const int v = of_schedule(step.vectors[1]);
    const int x = of_schedule(step.vectors[2]);
    item.statements = {assign(x, {{1, -1, x, -1}, {1, step.scalars[0], v, -1}}),
                       assign(v, {{1, -1, z, -1}, {1, step.scalars[1], v, -1}})};
  }

  static bool only_dots(const PlannedItem& item) {
    return item.kind == Kind::pass && !item.guard &&
           std::ranges::all_of(item.statements,
                               [](const auto& each) { return each.statement.target < 0; });
  }
  /// Swaps a control with the item behind it, whose sums are stored where they were.
  static void move_behind(PlannedItem& control, PlannedItem& next) {
    control.stored.insert(control.stored.end(), next.sums.begin(), next.sums.end());
    std::swap(control, next);
  }

  /// Dot products alone need not wait for the scalars before them, so that one wait serves both.
  void pull_dots() {
    auto& items = plan_.items;
    for (std::size_t i = 1; i + 1 < items.size(); ++i) {
      if (items[i].kind != Kind::control || items[i - 1].sums.empty()) continue;
      if (only_dots(items[i + 1])) move_behind(items[i], items[i + 1]);
    }
  }

  /// What follows a sum can as well follow the product behind it that has sums, too: they are
  /// waited for together.
  void defer_controls() {
    auto& items = plan_.items;
    for (std::size_t i = 1; i + 2 < items.size(); ++i) {
      if (items[i].kind != Kind::control || items[i - 1].sums.empty()) continue;
      std::size_t behind = i + 1;
      bool sums = false;
      while (items[behind].kind == Kind::product || only_dots(items[behind])) {
        sums = sums || !items[behind].sums.empty();
        ++behind;
      }
      if (!sums || items[behind].kind != Kind::control) continue;
      for (; i + 1 < behind; ++i) move_behind(items[i], items[i + 1]);
    }
  }

  void find_waits() {
    std::vector<ScalarSlot> pending;  // sums that are not stored
    int waited_for = 0;
    bool waits = false;
    for (PlannedItem& item : plan_.items) {
      if (item.kind != Kind::control) {
        pending.insert(pending.end(), item.sums.begin(), item.sums.end());
        waited_for += static_cast<int>(item.sums.size());
        continue;
      }
      item.waits = waited_for > 0;
      waits = waits || item.waits;
      plan_.most_sums = std::max(plan_.most_sums, waited_for);
      waited_for = 0;
      const std::vector<ScalarSlot> withheld = std::exchange(item.stored, {});
      for (const ScalarSlot slot : pending) {
        if (std::ranges::find(withheld, slot) == withheld.end()) item.stored.push_back(slot);
      }
      pending = withheld;
    }
    if (!waits) throw Error("no iteration of it waits for a sum");
  }

  void find_joins() {
    auto& items = plan_.items;
    std::set<ScalarSlot> used;  // by passes since the last control
    bool possible = false;      // behind a control and passes without sums
    for (PlannedItem& item : items) {
      if (item.kind != Kind::control) {
        possible = possible && item.kind == Kind::pass && item.sums.empty();
        for (const PlannedStatement& each : item.statements) {
          for (const PassTerm& term : each.statement.terms) used.insert(term.scalar);
        }
        if (item.guard) used.insert({item.guard->a, item.guard->b});
        continue;
      }
      const std::set<ScalarSlot> assigned = assigned_by(item);
      const bool keeps =
          std::ranges::none_of(assigned, [&](ScalarSlot slot) { return used.contains(slot); });
      item.joins = possible && !item.waits && keeps;
      if (!item.joins) used.clear();
      possible = true;
    }
  }

  std::set<ScalarSlot> assigned_by(const PlannedItem& control) const {
    std::set<ScalarSlot> assigned(control.stored.begin(), control.stored.end());
    for (const int index : control.steps) {
      for (const ScalarAssignment& each :
           schedule_.iteration[static_cast<std::size_t>(index)].assignments) {
        assigned.insert(each.target);
      }
    }
    return assigned;
  }

  void note_accesses() {
    const auto vector = [this](int v) -> PlannedVector& {
      return plan_.vectors[static_cast<std::size_t>(v)];
    };
    for (const PlannedItem& item : plan_.items) {
      if (item.kind == Kind::product) vector(item.output).assigned = true;
      for (const PlannedStatement& each : item.statements) {
        for (const int v : operands_read(each.statement)) vector(v).read = true;
        if (each.statement.target >= 0) vector(each.statement.target).assigned = true;
      }
    }
  }

  const Schedule& schedule_;
  PersistentPlan plan_;
};

}  // namespace

PersistentPlan iteration_items(const Schedule& schedule) {
  return ItemBuilder(schedule).make();
}

}  // namespace sparsecast
