#include "cli/commands/bench/blocks/block_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/bench/blocks/block_matrices.hpp"
#include "cli/commands/bench/blocks/measure_blocks.hpp"
#include "cli/commands/bench/paper/numbers.hpp"
#include "core/base/text/short_number.hpp"
#include "core/cuda/vector/two_kernel_dot.hpp"

namespace sparsecast::cli {
namespace {

constexpr double percent = 100;

/// What was measured of every stand-in; or what is missing of one.
struct Ratios {
  std::vector<double> values;
  std::string missing;
};

/// Empty where it was measured.
std::string missing_of(const BlockMeasurement* m, const std::string& what) {
  if (m == nullptr) return what + " was not measured at --scale 1";
  return m->measured() ? "" : what + ": " + m->reason;
}

struct StandIn {
  std::string mesh;
  std::string problem;

  std::string label() const { return mesh + ", " + problem; }
};

/// The problems of Table 3 on these meshes.
std::vector<StandIn> table3(const std::vector<std::string>& meshes) {
  std::vector<StandIn> all;
  for (const std::string& mesh : meshes) {
    for (const BlockProblem& problem : block_problems()) {
      if (problem.of_table3) all.push_back({mesh, problem.name});
    }
  }
  return all;
}

using Find = std::function<const BlockMeasurement*(const StandIn&)>;

/// Seconds of one thing over seconds of another.
Ratios time_ratios(const std::vector<StandIn>& stand_ins, const Find& one,
                   const std::string& one_name, const Find& other, const std::string& other_name) {
  Ratios ratios;
  for (const StandIn& each : stand_ins) {
    const BlockMeasurement* a = one(each);
    const BlockMeasurement* b = other(each);
    std::string missing = missing_of(a, one_name + " on " + each.label());
    if (missing.empty()) missing = missing_of(b, other_name + " on " + each.label());
    if (!missing.empty()) return {{}, missing};
    ratios.values.push_back(a->seconds / b->seconds);
  }
  return ratios;
}

Find product_of(const BlockResults& results, std::string layout, std::string order = "none") {
  return [&results, layout = std::move(layout), order = std::move(order)](const StandIn& each) {
    return results.product(each.mesh, each.problem, order, layout);
  };
}

Find iteration_of(const BlockResults& results, std::string solver) {
  return [&results, solver = std::move(solver)](const StandIn& each) {
    return results.iteration(each.mesh, each.problem, solver);
  };
}

/// How many times as fast a layout is as another.
Ratios speed_ratios(const BlockResults& results, const std::vector<StandIn>& stand_ins,
                    const std::string& layout, const std::string& than) {
  return time_ratios(stand_ins, product_of(results, than), than, product_of(results, layout),
                     layout);
}

std::string times_text(const std::string& what, double ratio) {
  return what + ' ' + short_number(ratio) + " times";
}

std::string percent_text(double share) {
  return short_number(percent * share) + " %";
}

/// The first record at which a residual is small enough; nothing where none is.
std::optional<double> first_below(const std::vector<const BlockMeasurement*>& history,
                                  double BlockMeasurement::*residual, double limit) {
  for (const BlockMeasurement* m : history) {
    if (m->measured() && m->number <= history_iterations && m->*residual <= limit) return m->number;
  }
  return std::nullopt;
}

}  // namespace

Finding larger_blocks_are_faster(const BlockResults& results, const BlockResults&) {
  const std::vector<StandIn> stand_ins = table3(mesh_names());
  const Ratios four = speed_ratios(results, stand_ins, "bcsr4", "bcsr2");
  const Ratios two = speed_ratios(results, stand_ins, "bcsr2", "csr");
  for (const Ratios* each : {&four, &two}) {
    if (!each->missing.empty()) return not_comparable(each->missing);
  }
  std::string ours = times_text("4 x 4 over 2 x 2", median_of(four.values)) +
                     times_text(", 2 x 2 over CRS", median_of(two.values));
  // Where blocks of 4 x 4 are full, for comparison.
  std::vector<StandIn> full;
  for (const std::string& mesh : mesh_names()) {
    if (mesh != mesh_names().back()) full.push_back({mesh, "components4"});
  }
  const Ratios full_four = speed_ratios(results, full, "bcsr4", "bcsr2");
  const Ratios full_two = speed_ratios(results, full, "bcsr2", "csr");
  if (full_four.missing.empty() && full_two.missing.empty()) {
    ours += "; with 4 unknowns a vertex " + short_number(median_of(full_four.values)) + " and " +
            short_number(median_of(full_two.values));
  }
  std::string why;
  if (!(median_of(four.values) > 1)) why = "2 x 2 is as fast as 4 x 4";
  if (!(median_of(two.values) > 1))
    why += (why.empty() ? "" : ", ") + std::string("CRS is as fast as 2 x 2");
  return found(why.empty(), ours, why);
}

Finding strips_beat_blocks(const BlockResults& results, const BlockResults&) {
  const std::vector<StandIn> stand_ins = table3(mesh_names());
  const Ratios quads = speed_ratios(results, stand_ins, "bcsr4-quads", "bcsr4");
  const Ratios strips = speed_ratios(results, stand_ins, "bcsr4-strips", "bcsr4");
  for (const Ratios* each : {&quads, &strips}) {
    if (!each->missing.empty()) return not_comparable(each->missing);
  }
  std::vector<double> better;
  for (std::size_t i = 0; i < quads.values.size(); ++i) {
    better.push_back(std::max(quads.values[i], strips.values[i]));
  }
  return found(median_of(better) > 1,
               times_text("the better of the two", median_of(better)) +
                   times_text(", quads", median_of(quads.values)) +
                   times_text(", strips", median_of(strips.values)) + " as fast as whole blocks",
               "blocks that lie whole are as fast");
}

Finding order_does_not_matter(const BlockResults& results, const BlockResults&) {
  constexpr double tolerance = 0.05;
  const std::vector<StandIn> stand_ins = table3(mesh_names());
  std::string ours;
  std::string why;
  for (const char* before : {"none", "random"}) {
    const Ratios ratios =
        time_ratios(stand_ins, product_of(results, "bcsr4", before),
                    std::string("bcsr4 in the order ") + before,
                    product_of(results, "bcsr4", "rcm"), "bcsr4 in the order rcm");
    if (!ratios.missing.empty()) return not_comparable(ratios.missing);
    const double median = median_of(ratios.values);
    ours += (ours.empty() ? "" : ", ") + times_text(std::string("over ") + before, median);
    if (std::abs(median - 1) <= tolerance) continue;
    why += (why.empty() ? "it changes the speed against " : " and against ") + std::string(before);
  }
  return found(why.empty(), ours, why);
}

Finding product_is_most_of_cg(const BlockResults& results, const BlockResults&) {
  constexpr double least = 0.7;
  constexpr double most = 0.9;
  // In the order in which the solvers ran, whichever that was.
  const Find product = [&](const StandIn& each) -> const BlockMeasurement* {
    const BlockMeasurement* iteration = results.iteration(each.mesh, each.problem, "cnc");
    return iteration == nullptr
               ? nullptr
               : results.product(each.mesh, each.problem, iteration->order, "bcsr4");
  };
  const Ratios shares = time_ratios(table3(large_mesh_names()), product, "bcsr4",
                                    iteration_of(results, "cnc"), "schedules/cnc.json");
  if (!shares.missing.empty()) return not_comparable(shares.missing);
  const double median = median_of(shares.values);
  return found(least <= median && median <= most, percent_text(median),
               median < least ? "calls and vectors take more" : "vectors take less");
}

Finding gpu_cg_beats_cpu(const BlockResults& results, const BlockResults& cpu) {
  constexpr double paper = 6.0;
  const std::vector<StandIn> stand_ins = table3(large_mesh_names());
  const Ratios ratios = time_ratios(stand_ins, iteration_of(cpu, "cnc"), "schedules/cnc.json (CPU)",
                                    iteration_of(results, "cnc"), "schedules/cnc.json");
  if (!ratios.missing.empty()) return not_comparable(ratios.missing);
  std::string ours = short_number(median_of(ratios.values));
  const Ratios fused = time_ratios(stand_ins, iteration_of(cpu, "fused"), "fused",
                                   iteration_of(results, "fused"), "fused");
  if (fused.missing.empty()) ours += "; our solver " + short_number(median_of(fused.values));
  return found(median_of(ratios.values) >= paper, ours, "less than 6.0 times as fast");
}

Finding overheads_are_small(const BlockResults& results, const BlockResults&) {
  constexpr double most_overhead = 0.07;
  constexpr double least_call = 7.5e-6;
  constexpr double most_call = 30e-6;
  constexpr double micro = 1e-6;
  std::vector<double> overheads;
  std::vector<double> calls;
  for (const StandIn& each : table3(mesh_names())) {
    const BlockMeasurement* called = results.iteration(each.mesh, each.problem, "cnc");
    const BlockMeasurement* recorded = results.iteration(each.mesh, each.problem, "cnc-graph");
    for (const BlockMeasurement* m : {called, recorded}) {
      const std::string missing = missing_of(m, "schedules/cnc.json on " + each.label());
      if (!missing.empty()) return not_comparable(missing);
    }
    if (called->number == 0) return not_comparable("no kernels were counted on " + each.label());
    overheads.push_back(1 - recorded->seconds / called->seconds);
    calls.push_back((called->seconds - recorded->seconds) / called->number);
  }
  const double call = median_of(calls);
  std::string why;
  if (!(most_of(overheads) < most_overhead)) {
    why = "kernels have become shorter than what surrounds them";
  }
  if (!(least_call <= call && call <= most_call)) {
    why += (why.empty() ? "" : ", ") +
           std::string(call < least_call ? "a call costs less" : "a call costs more");
  }
  return found(why.empty(),
               percent_text(least_of(overheads)) + " to " + percent_text(most_of(overheads)) +
                   "; a call " + short_number(call / micro) + " us",
               why);
}

Finding dots_of_512_are_best(const BlockResults& results, const BlockResults&) {
  constexpr int paper = 512;
  constexpr double tolerance = 1.02;
  std::string ours;
  std::string why;
  for (const std::int64_t size : measured_vector_sizes(1)) {
    const BlockMeasurement* best = nullptr;
    for (const int values : two_kernel_dot_sizes) {
      const BlockMeasurement* m = results.dot(size, values);
      const std::string missing = missing_of(
          m, "--dot " + std::to_string(values) + " of " + std::to_string(size) + " values");
      if (!missing.empty()) return not_comparable(missing);
      if (best == nullptr || m->seconds < best->seconds) best = m;
    }
    const double ratio = results.dot(size, paper)->seconds / best->seconds;
    ours += (ours.empty() ? "" : "; ") + short_number(best->number, 4) + " is best of " +
            std::to_string(size) + " values" +
            (ratio > 1 ? ", " + percent_text(ratio - 1) + " faster than 512" : "");
    if (ratio <= tolerance) continue;
    why += (why.empty() ? "" : ", ") + short_number(best->number, 4) + " is faster at " +
           std::to_string(size);
  }
  return found(why.empty(), ours, why);
}

Finding single_precision_converges(const BlockResults& results, const BlockResults& cpu) {
  constexpr double limit = 1e-8;
  const std::vector<const BlockMeasurement*> history = results.history();
  const std::string missing =
      missing_of(history.empty() ? nullptr : history.front(), "the history of residuals");
  if (!missing.empty()) return not_comparable(missing);
  const auto recurrence = first_below(history, &BlockMeasurement::recurrence, limit);
  const auto residual = first_below(history, &BlockMeasurement::residual, limit);
  const auto least =
      std::ranges::min_element(history, {}, [](const BlockMeasurement* m) { return m->residual; });
  std::string ours = "the recurrence ";
  ours += recurrence ? "after " + short_number(*recurrence) + " iterations"
                     : "not, " + short_number(history.back()->recurrence) + " at the end";
  ours += "; the true residual " + short_number((*least)->residual) + " at least";
  std::string why;
  if (!recurrence) why = "500 iterations are not enough";
  if (recurrence && !residual) {
    why = "rounding stops the true residual, which the recurrence does not see";
  }
  const std::vector<const BlockMeasurement*> of_cpu = cpu.history();
  const auto on_cpu = first_below(of_cpu, &BlockMeasurement::recurrence, limit);
  const bool is_other = on_cpu && of_cpu.front() != history.front();
  if (recurrence && is_other) {
    ours += ", on the CPU after " + short_number(*on_cpu);
    if (std::abs(*on_cpu - *recurrence) > history_step) {
      why += (why.empty() ? "" : ", ") + std::string("CPU and GPU differ");
    }
  }
  return found(why.empty(), ours, why);
}

Finding saxpy_is_of_bandwidth(const BlockResults& results, const BlockResults&) {
  constexpr double least_bandwidth = 0.82;
  constexpr double least_flops = 0.02;
  constexpr double most_flops = 0.045;
  const std::vector<std::int64_t> sizes = measured_vector_sizes(1);
  const BlockMeasurement* m = results.saxpy(sizes.back());
  const std::string missing = missing_of(m, "SAXPY of 64 * 1024^2 values");
  if (!missing.empty()) return not_comparable(missing);
  if (m->peak_bytes_per_second == 0 || m->peak_flops == 0) {
    return not_comparable("the data sheet of this GPU is not known");
  }
  if (m->bytes < 2 * m->cache_bytes) {
    return not_comparable("twice the last-level cache holds 64 * 1024^2 values");
  }
  std::string ours = percent_text(m->bandwidth_share()) + " of the bandwidth, " +
                     percent_text(m->flops_share()) + " of the flops";
  if (const BlockMeasurement* paper = results.saxpy(sizes.front()); paper && paper->measured()) {
    ours += "; of 1024^2 values " + percent_text(paper->bandwidth_share());
  }
  std::string why;
  if (!(m->bandwidth_share() > least_bandwidth)) why = "it does not reach 82 % of the bandwidth";
  const double flops = m->flops_share();
  if (!(least_flops <= flops && flops <= most_flops)) {
    why += (why.empty() ? "" : ", ") + std::string(flops < least_flops
                                                       ? "flops have grown faster than bandwidth"
                                                       : "bandwidth has grown faster than flops");
  }
  return found(why.empty(), ours, why);
}

}  // namespace sparsecast::cli
