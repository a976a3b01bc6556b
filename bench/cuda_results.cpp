#include "bench/cuda_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

std::string format(const char* text, auto... arguments) {
  const int size = std::snprintf(nullptr, 0, text, arguments...);
  std::string result(static_cast<std::size_t>(size), '\0');
  std::snprintf(result.data(), result.size() + 1, text, arguments...);
  return result;
}

std::string case_cells(const MeasuredCase& about) {
  return format("%s,%s,%lld,%lld", about.matrix.c_str(), to_string(about.precision).data(),
                static_cast<long long>(about.rows), static_cast<long long>(about.nonzeros));
}

/// One line of the list of bars: the figures of all its cases, each to be at least `least`, their
/// geometric mean at least `mean` (0: it may be anything).
class Bar {
 public:
  explicit Bar(std::string what, double least, double mean = 0)
      : what_(std::move(what)), least_(least), mean_(mean) {}

  void add(const MeasuredCase& about, double figure) {
    if (!(figure > 0)) return;
    if (count_ == 0 || figure < worst_) {
      worst_ = figure;
      worst_case_ = about.text();
    }
    logarithms_ += std::log(figure);
    ++count_;
    met_ += figure >= least_ ? 1 : 0;
  }

  std::string line() const {
    const std::string bar =
        format("%.2f", least_) + (mean_ > 0 ? format("; mean %.2f", mean_) : std::string());
    if (count_ == 0) {
      return format("| %s | %s | - | - | not measured |\n", what_.c_str(), bar.c_str());
    }
    const double mean = std::exp(logarithms_ / count_);
    return format("| %s | %s | %.2f (%s) | %.2f | %s, %d of %d |\n", what_.c_str(), bar.c_str(),
                  worst_, worst_case_.c_str(), mean,
                  worst_ >= least_ && mean >= mean_ ? "met" : "**missed**", met_, count_);
  }

 private:
  std::string what_;
  double least_;
  double mean_;
  double worst_ = 0;
  std::string worst_case_;
  double logarithms_ = 0;
  int count_ = 0;
  int met_ = 0;
};

std::string bars(const GpuResults& results) {
  using Kind = GpuCase::Kind;
  Bar given("products, cuSPARSE's best / our best, in the order given", 1.0, 2.0);
  Bar renumbered("the same, each in its best order", 1.1);
  Bar scattered("graphs and random orders above the L2, each in its best order", 1.15);
  Bar grids_f64("stencils of 250 MB and more, fraction of a read stream, f64", 0.93);
  Bar grids_f32("the same, f32", 0.90);
  Bar elements("finite elements in 3 x 3 blocks of 250 MB and more", 0.90);
  Bar scalar("scalar ones that gather at most 0.2 sectors an entry", 0.75);
  Bar conversion("30 products / conversion from CSR, from 10^6 nonzeros", 1);
  for (const SpmvResult& result : results.spmv) {
    const Kind kind = result.about.kind;
    given.add(result.about, result.ratio.median);
    renumbered.add(result.about, result.any_order.median);
    const bool renumbered_too = !result.best_in_any_order.empty();
    if (result.above_l2 && renumbered_too &&
        (kind == Kind::irregular || kind == Kind::random_order)) {
      scattered.add(result.about, result.any_order.median);
    }
    if (kind == Kind::grid) {
      (result.about.precision == Precision::f64 ? grids_f64 : grids_f32)
          .add(result.about, result.of_stream);
    }
    if (kind == Kind::elements) elements.add(result.about, result.of_stream);
    if (kind == Kind::scalar_elements && result.sectors_an_entry <= 0.2) {
      scalar.add(result.about, result.of_stream);
    }
    const MeasuredTime& best = result.time(result.best_ours);
    if (result.about.nonzeros >= 1'000'000 && best.conversion.seconds > 0) {
      conversion.add(result.about, 30 * best.seconds / best.conversion.seconds);
    }
  }
  Bar small("CG, up to 10^5 unknowns, vendor's graph / ours, each in its best order", 3.4, 4.7);
  Bar middle("to 5 * 10^5 unknowns", 1.3, 3.2);
  Bar large("10^6 unknowns and more", 1.2, 2.2);
  Bar between("between (no bar)", 0);
  for (const CgResult& result : results.cg) {
    Bar& bar = result.about.rows <= 100'000     ? small
               : result.about.rows <= 500'000   ? middle
               : result.about.rows >= 1'000'000 ? large
                                                : between;
    bar.add(result.about, result.any_order.median);
  }
  std::string text = "| quantity | bar | worst | geometric mean | |\n|---|---|---|---|---|\n";
  for (const Bar* bar : {&given, &renumbered, &scattered, &grids_f64, &grids_f32, &elements,
                         &scalar, &small, &middle, &large, &between, &conversion}) {
    text += bar->line();
  }
  return text;
}

std::string in_order(const std::string& name, const std::string& order) {
  return order.empty() || order == "given" ? name : name + ", " + order;
}

std::string spmv_table(const GpuResults& results) {
  std::string text =
      "| matrix | | nonzeros | MB | cache | cuSPARSE, us | which | ours, us | which | ratio | "
      "spread | best order | ratio | TB/s | of stream | conversion, products | us | first, us |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const SpmvResult& result : results.spmv) {
    const MeasuredTime& ours = result.time(result.best_ours);
    const MeasuredTime& peer = result.time(result.best_peer);
    const bool ordered = !result.best_in_any_order.empty();
    text += format(
        "| %s | %s | %lld | %.1f | %s | %.1f | %s | %.1f | %s | %.2f | %.1f %% | %s | %s | %.2f | "
        "%s | %.1f | %.0f | %.0f |\n",
        result.about.matrix.c_str(), to_string(result.about.precision).data(),
        static_cast<long long>(result.about.nonzeros), 1e-6 * result.csr_bytes,
        result.cache.c_str(), 1e6 * peer.seconds, result.best_peer.c_str(), 1e6 * ours.seconds,
        result.best_ours.c_str(), result.ratio.median, 100 * result.ratio.spread,
        ordered ? in_order(result.best_in_any_order, result.best_order).c_str() : "",
        ordered ? format("%.2f", result.any_order.median).c_str() : "",
        1e-12 * ours.bytes / ours.seconds,
        result.of_stream > 0 ? format("%.2f", result.of_stream).c_str() : "",
        ours.conversion.seconds / ours.seconds, 1e6 * ours.conversion.seconds,
        1e6 * ours.conversion.first_seconds);
  }
  return text;
}

/// Microseconds of the fastest in the order given whose names begin so.
std::string fastest_of(const CgResult& result, const std::string& beginning) {
  double best = std::numeric_limits<double>::infinity();
  for (const MeasuredTime& time : result.times) {
    if (time.order == "given" && time.name.starts_with(beginning)) {
      best = std::min(best, time.seconds);
    }
  }
  return std::isfinite(best) ? format("%.1f", 1e6 * best) : "-";
}

std::string cg_table(const GpuResults& results) {
  std::string text =
      "| matrix | | unknowns | vendor host | vendor graph | Algorithm 1 host | graph | fused plain "
      "| graph | persistent | best | host / best | graph / best | spread | best order | graph / "
      "best |"
      "\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const CgResult& result : results.cg) {
    text += format(
        "| %s%s | %s | %lld | %s | %s | %s | %s | %s | %s | %s | %s | %.2f | %.2f | %.1f %% | %s | "
        "%.2f |\n",
        result.about.matrix.c_str(), result.surrogate_values ? " *" : "",
        to_string(result.about.precision).data(), static_cast<long long>(result.about.rows),
        fastest_of(result, "vendor host").c_str(), fastest_of(result, "vendor graph").c_str(),
        fastest_of(result, "algorithm1 host").c_str(),
        fastest_of(result, "algorithm1 graph").c_str(), fastest_of(result, "fused plain").c_str(),
        fastest_of(result, "fused graph").c_str(), fastest_of(result, "fused persistent").c_str(),
        result.best_ours.c_str(), result.to_host.median, result.to_graph.median,
        100 * result.to_graph.spread, in_order(result.best_in_any_order, result.best_order).c_str(),
        result.any_order.median);
  }
  if (std::ranges::any_of(results.cg, &CgResult::surrogate_values)) {
    text += "\n\\* the file's pattern with surrogate values, because CG cannot solve its own\n";
  }
  return text;
}

}  // namespace

const MeasuredTime& SpmvResult::time(const std::string& name) const {
  for (const MeasuredTime& time : times) {
    if (time.name == name && time.order == "given") return time;
  }
  throw Error("no time of " + name);
}

std::string spmv_csv(const GpuResults& results) {
  std::string text = "# " + results.environment + "\n";
  for (const auto& [name, bytes_per_second] : results.streams) {
    text += format("# read stream, %s: %.4g bytes per second\n", name.c_str(), bytes_per_second);
  }
  text +=
      "matrix,precision,rows,nonzeros,csr_bytes,cache,sectors_an_entry,order,kernel,ours,bytes,"
      "median_seconds,"
      "relative_spread,rounds,conversion_seconds,first_conversion_seconds\n";
  for (const SpmvResult& result : results.spmv) {
    const double counted = result.sectors_an_entry;
    const std::string sectors = counted > 0 ? format("%.3f", counted) : std::string();
    for (const MeasuredTime& time : result.times) {
      text += case_cells(result.about) +
              format(",%.0f,%s,%s,%s,%s,%d,%.0f,%.9g,%.3g,%lld,%.6g,%.6g\n", result.csr_bytes,
                     result.cache.c_str(), sectors.c_str(), time.order.c_str(), time.name.c_str(),
                     time.ours ? 1 : 0, time.bytes, time.seconds, time.spread,
                     static_cast<long long>(time.rounds), time.conversion.seconds,
                     time.conversion.first_seconds);
    }
  }
  return text;
}

std::string cg_csv(const GpuResults& results) {
  std::string text = "# " + results.environment + "\n" +
                     "matrix,precision,rows,nonzeros,surrogate_values,iterations,order,solver,ours,"
                     "median_seconds_per_iteration,relative_spread,rounds\n";
  for (const CgResult& result : results.cg) {
    for (const MeasuredTime& time : result.times) {
      text +=
          case_cells(result.about) +
          format(",%d,%lld,%s,%s,%d,%.9g,%.3g,%lld\n", result.surrogate_values ? 1 : 0,
                 static_cast<long long>(result.iterations), time.order.c_str(), time.name.c_str(),
                 time.ours ? 1 : 0, time.seconds, time.spread, static_cast<long long>(time.rounds));
    }
  }
  return text;
}

std::string tables(const GpuResults& results) {
  std::string text = results.environment + format("; %.0f s in all\n\n", results.seconds);
  text += "## Bars\n\n" + bars(results) + "\n## Cold read stream\n\n";
  text += "| vectors of 2^26 values | TB/s |\n|---|---|\n";
  for (const auto& [name, bytes_per_second] : results.streams) {
    text += format("| %s | %.2f |\n", name.c_str(), 1e-12 * bytes_per_second);
  }
  text += "\n## SpMV\n\n" + spmv_table(results);
  text += "\n## Conjugate gradients, microseconds per iteration\n\n" + cg_table(results);
  if (!results.failures.empty()) text += "\n## Missing\n\n";
  for (const std::string& failure : results.failures) text += "- " + failure + "\n";
  return text;
}

}  // namespace sparsecast
