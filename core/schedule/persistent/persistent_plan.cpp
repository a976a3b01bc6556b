#include "core/schedule/persistent/persistent_plan.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/schedule/persistent/iteration_items.hpp"
#include "core/workload/persistent_segment.hpp"

namespace sparsecast {
namespace {

using Kind = PlannedItem::Kind;

/// A place where a vector is assigned: a statement, or a product (-1).
struct Place {
  int item = 0;
  int statement = -1;

  friend auto operator<=>(const Place&, const Place&) = default;
};

/// Completes the items of an iteration with where halo values come from.
class HaloPlanner {
 public:
  explicit HaloPlanner(PersistentPlan& plan) : plan_(plan) {}

  void find() {
    for (int i = 0; i < count(); ++i) {
      if (item(i).kind == Kind::product) need(item(i).input, {i, -1}, i);
    }
    for (int i = 0; i < count(); ++i) find_early(i);
    for (int i = 0; i < count(); ++i) find_barriers(i);
  }

 private:
  int count() const { return static_cast<int>(plan_.items.size()); }
  PlannedItem& item(int i) { return plan_.items[static_cast<std::size_t>(i)]; }
  PlannedVector& vector(int v) { return plan_.vectors[static_cast<std::size_t>(v)]; }
  PlannedStatement& statement(const Place& place) {
    return item(place.item).statements[static_cast<std::size_t>(place.statement)];
  }

  bool assigns(const Place& place, int v) {
    if (place.statement < 0) {
      return item(place.item).kind == Kind::product && item(place.item).output == v;
    }
    return statement(place).statement.target == v;
  }

  /// All places of an iteration, in their order.
  std::vector<Place> places() {
    std::vector<Place> all;
    for (int i = 0; i < count(); ++i) {
      all.push_back({i, -1});
      const auto statements = static_cast<int>(item(i).statements.size());
      for (int s = 0; s < statements; ++s) all.push_back({i, s});
    }
    return all;
  }

  /// The last assignment before a place, in this iteration or the one before.
  std::optional<Place> assigned_before(int v, const Place& place) {
    std::vector<Place> order = places();
    std::rotate(order.begin(), std::ranges::lower_bound(order, place), order.end());
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (!assigns(*at, v)) continue;
      if (item(at->item).guard) {
        throw Error("the matrix multiplies what a step assigns that does not always run");
      }
      return *at;
    }
    return std::nullopt;
  }

  /// Whether a sum is waited for between items, going on in the next iteration where `from` is not
  /// before `to`.
  bool waits_between(int from, int to) {
    for (int i = from + 1;; ++i) {
      if (i >= count()) i = 0;
      if (i == to) return false;
      if (item(i).waits) return true;
      if (i == from) return false;
    }
  }

  int last_wait_before(int to) {
    for (int k = 1; k <= count(); ++k) {
      const int i = (to - k + count()) % count();
      if (item(i).waits) return i;
    }
    return -1;
  }

  /// Halo values of a vector are needed at a place of an item.
  void need(int v, const Place& at, int user) {
    const std::optional<Place> assigned = assigned_before(v, at);
    if (!assigned) return keep(v);
    const bool computed = assigned->statement >= 0 && statement(*assigned).on_halo;
    if (computed) return;
    const bool same_pass = assigned->item == user && *assigned < at;
    const bool from_owners =
        assigned->statement < 0 || (!same_pass && waits_between(assigned->item, user));
    if (!from_owners) return compute(v, *assigned);
    if (assigned->statement < 0) {
      item(assigned->item).publishes = true;
    } else {
      statement(*assigned).publishes = true;
    }
    if (vector(v).published < 0) vector(v).published = plan_.published++;
    auto& arrivals = item(user).arrivals;
    if (std::ranges::find(arrivals, v, &HaloArrival::vector) != arrivals.end()) return;
    arrivals.push_back({v});
    sources_.push_back({user, v, assigned->item});
  }

  void keep(int v) {
    PlannedVector& kept = vector(v);
    if (kept.window >= 0 || kept.kept_halo >= 0) return;
    if (kept.kind == PlannedVector::Kind::temporary) return;
    kept.kept_halo = plan_.kept_halos++;
  }

  void compute(int v, const Place& assigned) {
    keep(v);
    PlannedStatement& made = statement(assigned);
    if (made.on_halo) return;
    made.on_halo = true;
    for (const int operand : operands_read(made.statement)) {
      need(operand, assigned, assigned.item);
    }
  }

  int source_of(int user, int v) const {
    for (const Source& source : sources_) {
      if (source.user == user && source.vector == v) return source.item;
    }
    return -1;
  }

  void find_early(int user) {
    for (HaloArrival& arrival : item(user).arrivals) {
      const int from = source_of(user, arrival.vector);
      arrival.of_iteration_before = from >= user;
      arrival.early = waits_between(from, user);
      if (arrival.early) item(user).early_in = last_wait_before(user);
    }
  }

  /// Blocks of a cluster read where the owner keeps its own values: nobody may change them before.
  void find_barriers(int user) {
    for (const HaloArrival& arrival : item(user).arrivals) {
      if (!arrival.early) item(user).barrier_to_read = true;
      for (int k = 1; k <= count(); ++k) {
        const int i = (user + k) % count();
        if (item(i).waits) break;
        if (!writes(i, arrival.vector)) continue;
        item(i).barrier_before = true;
        break;
      }
    }
  }
  bool writes(int i, int v) {
    if (assigns({i, -1}, v)) return true;
    return std::ranges::any_of(item(i).statements, [v](const PlannedStatement& each) {
      return each.statement.target == v;
    });
  }

  struct Source {
    int user = 0;
    int vector = 0;
    int item = 0;  ///< that assigns it
  };

  PersistentPlan& plan_;
  std::vector<Source> sources_;
};

/// Sizes that the kernel has room for.
std::string fault_of_sizes(const PersistentPlan& plan) {
  constexpr int most_windows = 3;
  constexpr int most_published = 4;
  constexpr int most_sums = 4;
  constexpr int most_scalars = 128;
  const auto too_many = [](const char* what, int count, int most) {
    return "it has " + std::to_string(count) + " " + what + "; at most " + std::to_string(most);
  };
  if (plan.windows > most_windows) {
    return too_many("vectors that the matrix multiplies", plan.windows, most_windows);
  }
  if (plan.published > most_published) {
    return too_many("vectors that thread blocks exchange", plan.published, most_published);
  }
  if (plan.most_sums > most_sums) {
    return too_many("sums to wait for at a time", plan.most_sums, most_sums);
  }
  if (plan.scalars > most_scalars) return too_many("scalars", plan.scalars, most_scalars);
  const auto kept = static_cast<int>(plan.kept_vectors().size());
  if (kept > most_persistent_vectors) return too_many("vectors", kept, most_persistent_vectors);
  return {};
}

}  // namespace

std::variant<PersistentPlan, std::string> plan_persistent(const Schedule& schedule) {
  try {
    PersistentPlan plan = iteration_items(schedule);
    HaloPlanner(plan).find();
    find_movable_statements(schedule, plan);
    if (std::string fault = fault_of_sizes(plan); !fault.empty()) return fault;
    return plan;
  } catch (const Error& error) {
    return std::string(error.what());
  }
}

std::optional<PersistentNeeds> persistent_needs(const Schedule& schedule) {
  const auto plan = plan_persistent(schedule);
  const auto* const found = std::get_if<PersistentPlan>(&plan);
  if (found == nullptr) return std::nullopt;
  return found->needs();
}

std::string why_not_persistent(const Schedule& schedule) {
  auto plan = plan_persistent(schedule);
  auto* const why = std::get_if<std::string>(&plan);
  return why != nullptr ? std::move(*why) : std::string();
}

}  // namespace sparsecast
