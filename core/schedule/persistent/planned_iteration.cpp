#include "core/schedule/persistent/planned_iteration.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace sparsecast {
namespace {

/// Of a value in an iteration, at least.
int accesses_of(const PlannedVector& vector) {
  return (vector.assigned ? 1 : 0) + (vector.read ? 1 : 0);
}

/// Loads and stores of a row by a pass, whose movable statements have loops of their own.
int row_accesses(const PlannedItem& pass, const std::vector<PlannedVector>& vectors) {
  using Loop = std::pair<bool, bool>;
  std::map<Loop, std::set<int>> loaded;
  std::set<std::pair<Loop, int>> assigned;
  int stores = 0;
  for (const PlannedStatement& each : pass.statements) {
    const Loop loop{each.later, each.sooner};
    const auto is_kept = [&](int v) {
      return vectors[static_cast<std::size_t>(v)].kind != PlannedVector::Kind::temporary;
    };
    for (const int v : operands_read(each.statement)) {
      if (is_kept(v) && !assigned.contains({loop, v})) loaded[loop].insert(v);
    }
    const int target = each.statement.target;
    if (target < 0) continue;
    assigned.insert({loop, target});
    stores += is_kept(target) ? 1 : 0;
  }
  for (const auto& [loop, of_loop] : loaded) stores += static_cast<int>(of_loop.size());
  return stores;
}

}  // namespace

std::vector<int> operands_read(const PassStatement& statement) {
  std::set<int> read;
  if (statement.target < 0) read = {statement.a, statement.b};
  for (const PassTerm& term : statement.terms) {
    read.insert(term.operand);
    if (term.times >= 0) read.insert(term.times);
  }
  return {read.begin(), read.end()};
}

std::vector<int> PersistentPlan::kept_vectors() const {
  const auto accesses = [this](int v) { return accesses_of(vectors[static_cast<std::size_t>(v)]); };
  std::vector<int> kept;
  for (int v = 0; v < static_cast<int>(vectors.size()); ++v) {
    const PlannedVector& of = vectors[static_cast<std::size_t>(v)];
    if (of.kind != PlannedVector::Kind::temporary && of.window < 0) kept.push_back(v);
  }
  std::ranges::stable_sort(kept, std::greater(), accesses);
  return kept;
}

PersistentNeeds PersistentPlan::needs() const {
  constexpr std::int64_t most_warps = 16;
  constexpr std::int64_t most_cluster_blocks = 16;
  PersistentNeeds needs;
  needs.windows = windows;
  needs.kept_halos = kept_halos;
  needs.vectors.clear();
  for (const int v : kept_vectors()) {
    const PlannedVector& of = vectors[static_cast<std::size_t>(v)];
    needs.vectors.push_back({accesses_of(of), of.published >= 0});
  }
  needs.products = 0;
  needs.waits = 0;
  needs.row_accesses = 0;
  needs.arrivals = 0;
  for (const PlannedItem& item : items) {
    needs.products += item.kind == PlannedItem::Kind::product ? 1 : 0;
    needs.waits += item.waits ? 1 : 0;
    needs.row_accesses += row_accesses(item, vectors);
    needs.arrivals += static_cast<int>(item.arrivals.size());
  }
  // What registers do not hold goes to the L2 cache, of L1 shared memory leaves little: on an H200
  // an iteration of BiCGStab on 10^5 unknowns takes 20 us with 512 threads, 13 with 256.
  if (needs.products > 1) needs.most_threads = 256;
  const std::int64_t own =
      1024 + 8 * (std::int64_t{scalars} + most_warps * most_sums +
                  2 * most_cluster_blocks * most_sums + most_cluster_blocks * published);
  needs.kernel_bytes = std::max(needs.kernel_bytes, own);
  return needs;
}

}  // namespace sparsecast
