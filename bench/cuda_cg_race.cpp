#include "bench/cuda_cg_race.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>

#include "bench/cuda_race.hpp"
#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "tests/core/relative_difference.hpp"

namespace sparsecast {
namespace {

constexpr int rounds = 11;
constexpr double round_seconds = 6e-3;
/// The host looks after so many, and the vendor's batches are as long.
constexpr std::int64_t batch = 16;
constexpr std::int64_t most_iterations = 25 * batch;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A prepared solver of one system, started again from x = 0 before every run.
template <class T>
class RepeatedCg {
 public:
  RepeatedCg(std::unique_ptr<PreparedSchedule<T>> prepared, const std::vector<T>& b,
             const std::vector<T>& c)
      : prepared_(std::move(prepared)), zero_(b.size(), T{0}) {
    prepared_->set_vector("b", b);
    prepared_->set_vector("c", c);
  }

  /// Seconds of the iterations, without the setup.
  double run(std::int64_t iterations) {
    prepared_->set_vector("x", zero_);
    prepared_->run_setup();
    const double start = now();
    const RunReport report = prepared_->run(iterations);
    const double seconds = now() - start;
    if (report.iterations != iterations || report.outcome != Outcome::iteration_limit) {
      throw Error(std::string(to_string(report.outcome)) + " after " +
                  std::to_string(report.iterations) + " of " + std::to_string(iterations) +
                  " iterations");
    }
    return seconds;
  }

  std::vector<T> x() const {
    std::vector<T> values(zero_.size());
    prepared_->get_vector("x", values);
    return values;
  }

  /// How many iterations can be run, in whole batches, before beta = r.D^-1.r is so small that its
  /// terms are near the smallest numbers of T.
  std::int64_t possible() {
    const double floor = sizeof(T) == 4 ? 1e-20 : 1e-60;
    prepared_->set_vector("x", zero_);
    prepared_->run_setup();
    const double start = prepared_->scalar("alpha");
    std::int64_t count = 0;
    while (count < most_iterations) {
      if (prepared_->run(batch).outcome != Outcome::iteration_limit) break;
      if (!(prepared_->scalar("beta") > floor * start)) break;
      count += batch;
    }
    return count;
  }

 private:
  std::unique_ptr<PreparedSchedule<T>> prepared_;
  std::vector<T> zero_;
};

template <class T>
std::vector<T> inverse_roots_of_diagonal(const CsrView<T>& matrix) {
  std::vector<T> c(static_cast<std::size_t>(matrix.rows));
  for (std::size_t row = 0; row < c.size(); ++row) {
    const auto columns = matrix.column_indices.begin();
    const auto last = columns + matrix.row_offsets[row + 1];
    const auto found =
        std::lower_bound(columns + matrix.row_offsets[row], last, static_cast<std::int32_t>(row));
    c[row] = static_cast<T>(1 / std::sqrt(static_cast<double>(
                                    matrix.values[static_cast<std::size_t>(found - columns)])));
  }
  return c;
}

/// Neither constant nor smooth, so that CG has something to do.
template <class T>
std::vector<T> right_hand_side(std::int64_t rows) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> value(0.5, 1.5);
  std::vector<T> b(static_cast<std::size_t>(rows));
  std::ranges::generate(b, [&] { return static_cast<T>(value(random)); });
  return b;
}

struct Contender {
  const char* schedule;
  LaunchMode mode;
  bool in_csr;
  bool in_layout;
  bool in_every_order;
};
/// The first is the one that the others' iterates are compared with.
constexpr Contender solvers[]{{"vendor", LaunchMode::graph, true, false, true},
                              {"vendor", LaunchMode::host, true, false, false},
                              {"algorithm1", LaunchMode::host, false, true, false},
                              {"algorithm1", LaunchMode::graph, false, true, false},
                              {"fused", LaunchMode::plain, false, true, false},
                              {"fused", LaunchMode::graph, true, true, true},
                              {"fused", LaunchMode::persistent, true, true, true}};

/// Those that a solver runs in, each once. Persistent kernels store CSR, or blocks.
std::vector<Layout> layouts_of(const Contender& solver, const Layout& fastest) {
  std::vector<Layout> layouts;
  if (solver.in_csr) layouts.emplace_back();
  const bool can = solver.mode != LaunchMode::persistent || fastest.block_size > 1;
  if (solver.in_layout && can && !(solver.in_csr && fastest == Layout{})) {
    layouts.push_back(fastest);
  }
  return layouts;
}

/// The contestants of one system in some orders.
template <class T>
class SolverRace {
 public:
  SolverRace(const MeasuredCase& about, const GpuDevice& gpu, std::vector<std::string>& failures)
      : about_(about), gpu_(gpu), failures_(failures) {}

  /// False where CG ends within a few iterations.
  bool add_order(const OrderedMatrix<T>& ordered, const Layout& fastest_layout) {
    orders_.push_back(ordered.order);
    b_ = right_hand_side<T>(ordered.matrix.rows);
    c_ = inverse_roots_of_diagonal(ordered.matrix);
    expected_.clear();
    for (const Contender& solver : solvers) {
      if (orders_.size() > 1 && !solver.in_every_order) continue;
      for (const Layout& layout : layouts_of(solver, fastest_layout)) {
        if (!add(solver, ordered.matrix, layout)) return false;
      }
    }
    return true;
  }

  /// Nothing where a side has nobody.
  std::optional<CgResult> run() {
    constexpr double within = 1.3;
    race(contestants_, rounds, within,
         [](const Contestant& who) { return !who.ours && who.order == 0; });
    CgResult result;
    result.about = about_;
    result.iterations = iterations_;
    for (const Contestant& contestant : contestants_) {
      MeasuredTime time;
      time.name = contestant.name;
      time.order = orders_[contestant.order];
      time.ours = contestant.ours;
      time.set(contestant.timing());
      result.times.push_back(time);
    }
    const auto best = [&](bool any_order, std::string_view beginning, bool ours) {
      return fastest(contestants_, [&](const Contestant& each) {
        return each.ours == ours && (any_order || each.order == 0) &&
               each.name.starts_with(beginning);
      });
    };
    const Contestant* const ours = best(false, "", true);
    const Contestant* const ours_in_any = best(true, "", true);
    const Contestant* const graph = best(false, "vendor graph", false);
    const Contestant* const host = best(false, "vendor host", false);
    if (ours == nullptr || graph == nullptr) return std::nullopt;
    result.best_ours = ours->name;
    result.to_graph = MeasuredRatio(ratio(*graph, *ours));
    if (host != nullptr) result.to_host = MeasuredRatio(ratio(*host, *ours));
    result.best_in_any_order = ours_in_any->name;
    result.best_order = orders_[ours_in_any->order];
    result.any_order = MeasuredRatio(ratio(*best(true, "vendor graph", false), *ours_in_any));
    return result;
  }

 private:
  bool add(const Contender& solver, const CsrView<T>& matrix, const Layout& layout) {
    const std::string name = std::string(solver.schedule) + ' ' +
                             std::string(to_string(solver.mode)) + ' ' + to_string(layout);
    CudaPolicy policy;
    policy.launch_mode = solver.mode;
    policy.poll_every(static_cast<int>(batch));
    CudaBackend backend(gpu_.index, policy);
    std::shared_ptr<RepeatedCg<T>> cg;
    try {
      cg = std::make_shared<RepeatedCg<T>>(
          backend.prepare(built_in(solver.schedule).schedule, matrix, layout), b_, c_);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s: without %s: %s\n", about_.matrix.c_str(), name.c_str(),
                   error.what());
      return true;
    }
    if (iterations_ == 0) {
      const std::int64_t possible = cg->possible();
      if (possible < batch) return false;
      const double seconds = cg->run(batch) / static_cast<double>(batch);
      const auto wanted = static_cast<std::int64_t>(round_seconds / seconds) / batch * batch;
      iterations_ = std::clamp(wanted, batch, possible);
      runs_ = std::max<std::int64_t>(1, wanted / iterations_);
    }
    const std::string where = about_.text() + ", " + orders_.back() + ": " + name;
    try {
      cg->run(iterations_);
      cg->run(batch);
    } catch (const Error& error) {
      failures_.push_back(where + ": " + error.what());
      return true;
    }
    if (expected_.empty()) expected_ = cg->x();
    const double error = relative_difference(cg->x(), expected_);
    if (!(error < (sizeof(T) == 4 ? 1e-2 : 1e-9))) {
      failures_.push_back(where + ": its iterate differs by " + std::to_string(error));
      return true;
    }
    const auto round = [cg, iterations = iterations_, runs = runs_] {
      double seconds = 0;
      for (std::int64_t run = 0; run < runs; ++run) seconds += cg->run(iterations);
      return seconds / static_cast<double>(runs * iterations);
    };
    contestants_.push_back(
        {name, std::string_view(solver.schedule) != "vendor", round, {}, orders_.size() - 1});
    return true;
  }

  MeasuredCase about_;
  const GpuDevice& gpu_;
  std::vector<std::string>& failures_;
  std::vector<std::string> orders_;
  std::vector<T> b_, c_;
  std::vector<T> expected_;
  std::int64_t iterations_ = 0;
  std::int64_t runs_ = 1;  ///< of so many iterations, a round
  std::vector<Contestant> contestants_;
};

}  // namespace

template <class T>
std::optional<CgResult> race_solvers(const MeasuredCase& about,
                                     std::span<const OrderedMatrix<T>> orders,
                                     std::span<const std::string> layouts, const GpuDevice& gpu,
                                     std::vector<std::string>& failures) {
  SolverRace<T> solvers_of_all(about, gpu, failures);
  for (std::size_t order = 0; order < orders.size(); ++order) {
    if (!solvers_of_all.add_order(orders[order], parse_layout(layouts[order]))) return {};
  }
  return solvers_of_all.run();
}

template std::optional<CgResult> race_solvers(const MeasuredCase&,
                                              std::span<const OrderedMatrix<float>>,
                                              std::span<const std::string>, const GpuDevice&,
                                              std::vector<std::string>&);
template std::optional<CgResult> race_solvers(const MeasuredCase&,
                                              std::span<const OrderedMatrix<double>>,
                                              std::span<const std::string>, const GpuDevice&,
                                              std::vector<std::string>&);

}  // namespace sparsecast
