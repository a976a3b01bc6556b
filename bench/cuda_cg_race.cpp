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
};
/// The first is the one that the others' iterates are compared with.
constexpr Contender solvers[]{
    {"vendor", LaunchMode::graph, true, false},    {"vendor", LaunchMode::host, true, false},
    {"algorithm1", LaunchMode::host, false, true}, {"algorithm1", LaunchMode::graph, false, true},
    {"fused", LaunchMode::plain, false, true},     {"fused", LaunchMode::graph, true, true},
    {"fused", LaunchMode::persistent, true, true}};

}  // namespace

template <class T>
std::optional<CgResult> race_solvers(const MeasuredCase& about, const CsrView<T>& matrix,
                                     const Layout& layout, const GpuDevice& gpu) {
  CgResult result;
  result.about = about;
  const auto b = right_hand_side<T>(matrix.rows);
  const auto c = inverse_roots_of_diagonal(matrix);
  std::vector<Contestant> contestants;
  std::vector<T> expected;
  std::int64_t iterations = 0;
  std::int64_t runs = 1;  // of so many iterations, a round
  const auto add = [&](const Contender& solver, const Layout& in) {
    const std::string name = std::string(solver.schedule) + ' ' +
                             std::string(to_string(solver.mode)) + ' ' + to_string(in);
    CudaPolicy policy;
    policy.launch_mode = solver.mode;
    policy.poll_every(static_cast<int>(batch));
    CudaBackend backend(gpu.index, policy);
    std::shared_ptr<RepeatedCg<T>> cg;
    try {
      cg = std::make_shared<RepeatedCg<T>>(
          backend.prepare(built_in(solver.schedule).schedule, matrix, in), b, c);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s: without %s: %s\n", about.matrix.c_str(), name.c_str(),
                   error.what());
      return true;
    }
    if (expected.empty()) {
      const std::int64_t possible = cg->possible();
      if (possible < batch) return false;
      const double seconds = cg->run(batch) / static_cast<double>(batch);
      expected = cg->x();
      const auto wanted = static_cast<std::int64_t>(round_seconds / seconds) / batch * batch;
      iterations = std::clamp(wanted, batch, possible);
      runs = std::max<std::int64_t>(1, wanted / iterations);
    } else {
      cg->run(batch);
      const double error = relative_difference(cg->x(), expected);
      if (!(error < (sizeof(T) == 4 ? 1e-2 : 1e-9))) {
        throw Error(about.matrix + ": iterate of " + name + " differs by " + std::to_string(error));
      }
    }
    const auto round = [cg, iterations, runs] {
      double seconds = 0;
      for (std::int64_t run = 0; run < runs; ++run) seconds += cg->run(iterations);
      return seconds / static_cast<double>(runs * iterations);
    };
    contestants.push_back({name, std::string_view(solver.schedule) != "vendor", round, {}});
    return true;
  };
  for (const Contender& solver : solvers) {
    if (solver.in_csr && !add(solver, Layout{})) return {};
    const bool same = solver.in_csr && layout == Layout{};
    if (solver.in_layout && !same) add(solver, layout);
  }
  race(contestants, rounds);

  result.iterations = iterations;
  for (const Contestant& contestant : contestants) {
    const Timing timing = contestant.timing();
    MeasuredTime time;
    time.name = contestant.name;
    time.ours = contestant.ours;
    time.seconds = timing.median_seconds;
    time.spread = timing.relative_spread;
    time.rounds = rounds;
    result.times.push_back(time);
  }
  const auto named = [&](const char* name) {
    return fastest(contestants, [&](const Contestant& who) { return who.name == name; });
  };
  const Contestant* const best =
      fastest(contestants, [](const Contestant& who) { return who.ours; });
  const Contestant* const graph = named("vendor graph csr");
  const Contestant* const host = named("vendor host csr");
  if (best == nullptr || graph == nullptr || host == nullptr) return {};
  result.best_ours = best->name;
  const Timing to_graph = ratio(*graph, *best);
  const Timing to_host = ratio(*host, *best);
  result.to_graph = {to_graph.median_seconds, to_graph.relative_spread};
  result.to_host = {to_host.median_seconds, to_host.relative_spread};
  return result;
}

template std::optional<CgResult> race_solvers(const MeasuredCase&, const CsrView<float>&,
                                              const Layout&, const GpuDevice&);
template std::optional<CgResult> race_solvers(const MeasuredCase&, const CsrView<double>&,
                                              const Layout&, const GpuDevice&);

}  // namespace sparsecast
