#include "bench/cuda_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
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

const MeasuredTime& find(const std::vector<MeasuredTime>& times, const std::string& name) {
  const auto found = std::ranges::find(times, name, &MeasuredTime::name);
  if (found == times.end()) throw Error("no time of " + name);
  return *found;
}

bool has(const std::vector<MeasuredTime>& times, const std::string& name) {
  return std::ranges::find(times, name, &MeasuredTime::name) != times.end();
}

std::string case_cells(const MeasuredCase& about) {
  return format("%s,%s,%lld,%lld", about.matrix.c_str(), to_string(about.precision).data(),
                static_cast<long long>(about.rows), static_cast<long long>(about.nonzeros));
}

constexpr double streaming_bytes = 150e6;

/// One line of the list of bars: the figures of all its cases, each to be at least `bar`.
class Bar {
 public:
  Bar(std::string what, double bar) : what_(std::move(what)), bar_(bar) {}

  void add(const MeasuredCase& about, double figure) {
    if (!(figure > 0)) return;
    if (count_ == 0 || figure < worst_) {
      worst_ = figure;
      worst_case_ = about.matrix + " " + std::string(to_string(about.precision));
    }
    logarithms_ += std::log(figure);
    ++count_;
    met_ += figure >= bar_ ? 1 : 0;
  }

  /// `of_mean`: the geometric mean is to be above the bar, not every case.
  std::string line(bool of_mean = false) const {
    if (count_ == 0) return format("| %s | %.2f | - | - | not measured |\n", what_.c_str(), bar_);
    const double mean = std::exp(logarithms_ / count_);
    const bool met = (of_mean ? mean : worst_) >= bar_;
    return format("| %s | %.2f | %.2f (%s) | %.2f | %s, %d of %d |\n", what_.c_str(), bar_, worst_,
                  worst_case_.c_str(), mean, met ? "met" : "**missed**", met_, count_);
  }

 private:
  std::string what_;
  double bar_;
  double worst_ = 0;
  std::string worst_case_;
  double logarithms_ = 0;
  int count_ = 0;
  int met_ = 0;
};

/// Fewest bytes over our layouts, over the time of the fastest at the cold read stream.
double fraction_of_stream(const SpmvResult& result, const GpuResults& results) {
  double fewest = std::numeric_limits<double>::infinity();
  for (const MeasuredTime& time : result.times) {
    if (time.ours) fewest = std::min(fewest, time.bytes);
  }
  return fewest / result.time(result.best_ours).seconds / results.stream.at(result.about.precision);
}

std::string bars(const GpuResults& results) {
  Bar streaming("SpMV, working set above 150 MB, cuSPARSE / ours, every case", 1.2);
  Bar blocks("the same, FEM in 3 x 3 blocks", 1.5);
  Bar others("SpMV, all others, geometric mean", 1.2);
  Bar none_below("SpMV, all others, every case", 0.95);
  Bar bandwidth("SpMV, streaming 27-point and FEM, fraction of the cold read stream", 0.85);
  Bar conversion("30 SpMVs / conversion from CSR, working set above 150 MB", 1);
  Bar other_conversion("30 SpMVs / conversion from CSR, all others", 1);
  for (const SpmvResult& result : results.spmv) {
    const bool streams = result.csr_bytes > streaming_bytes;
    const bool fem = result.about.kind == GpuCase::Kind::finite_elements;
    if (streams) {
      streaming.add(result.about, result.ratio.median);
      if (fem) blocks.add(result.about, result.ratio_of_3.median);
      if (fem || result.about.kind == GpuCase::Kind::twenty_seven_point) {
        bandwidth.add(result.about, fraction_of_stream(result, results));
      }
    } else {
      others.add(result.about, result.ratio.median);
      none_below.add(result.about, result.ratio.median);
    }
    const MeasuredTime& best = result.time(result.best_ours);
    if (best.conversion.seconds > 0) {
      (streams ? conversion : other_conversion)
          .add(result.about, 30 * best.seconds / best.conversion.seconds);
    }
  }
  Bar small_graph("CG, up to 10^5 unknowns, vendor graph / ours", 3.3);
  Bar small_host("CG, up to 10^5 unknowns, vendor host-synchronised / ours", 8);
  Bar middle("CG, 10^5 to 5 * 10^5 unknowns, vendor graph / ours", 1.7);
  Bar large("CG, 10^6 unknowns and more, vendor graph / ours", 1.4);
  Bar largest("the same, 5-point 3000^2 f32", 1.5);
  for (const CgResult& result : results.cg) {
    if (result.about.rows <= 100'000) {
      small_graph.add(result.about, result.to_graph.median);
      small_host.add(result.about, result.to_host.median);
    } else if (result.about.rows <= 500'000) {
      middle.add(result.about, result.to_graph.median);
    } else if (result.about.rows >= 1'000'000) {
      large.add(result.about, result.to_graph.median);
      if (result.about.matrix == "5-point 3000^2" && result.about.precision == Precision::f32) {
        largest.add(result.about, result.to_graph.median);
      }
    }
  }
  return "| quantity | bar | worst | geometric mean | |\n|---|---|---|---|---|\n" +
         streaming.line() + blocks.line() + others.line(true) + none_below.line() +
         bandwidth.line() + small_graph.line() + small_host.line() + middle.line() + large.line() +
         largest.line() + conversion.line() + other_conversion.line();
}

std::string spmv_table(const GpuResults& results) {
  std::string text =
      "| matrix | | nonzeros | MB | cache | cuSPARSE, us | which | ours, us | which | ratio | "
      "spread | TB/s | of stream | conversion, SpMVs | us | first, us |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const SpmvResult& result : results.spmv) {
    const MeasuredTime& ours = result.time(result.best_ours);
    const MeasuredTime& peer = result.time(result.best_peer);
    text += format(
        "| %s | %s | %lld | %.1f | %s | %.1f | %s | %.1f | %s | %.2f | %.1f %% | %.2f | %.2f | "
        "%.1f | %.0f | %.0f |\n",
        result.about.matrix.c_str(), to_string(result.about.precision).data(),
        static_cast<long long>(result.about.nonzeros), 1e-6 * result.csr_bytes,
        result.cache.c_str(), 1e6 * peer.seconds, result.best_peer.c_str(), 1e6 * ours.seconds,
        result.best_ours.c_str(), result.ratio.median, 100 * result.ratio.spread,
        1e-12 * ours.bytes / ours.seconds,
        ours.bytes / ours.seconds / results.stream.at(result.about.precision),
        ours.conversion.seconds / ours.seconds, 1e6 * ours.conversion.seconds,
        1e6 * ours.conversion.first_seconds);
  }
  return text;
}

std::string microseconds(const std::vector<MeasuredTime>& times, const std::string& name) {
  return has(times, name) ? format("%.1f", 1e6 * find(times, name).seconds) : "-";
}

/// The fastest of our times whose names begin so.
std::string fastest_of(const CgResult& result, const std::string& beginning) {
  double best = std::numeric_limits<double>::infinity();
  for (const MeasuredTime& time : result.times) {
    if (time.ours && time.name.starts_with(beginning)) best = std::min(best, time.seconds);
  }
  return std::isfinite(best) ? format("%.1f", 1e6 * best) : "-";
}

std::string cg_table(const GpuResults& results) {
  std::string text =
      "| matrix | | unknowns | vendor host | vendor graph | Algorithm 1 host | graph | fused plain "
      "| graph | persistent | best | host / best | graph / best | spread |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const CgResult& result : results.cg) {
    text += format(
        "| %s%s | %s | %lld | %s | %s | %s | %s | %s | %s | %s | %s | %.2f | %.2f | %.1f %% |\n",
        result.about.matrix.c_str(), result.surrogate_values ? " *" : "",
        to_string(result.about.precision).data(), static_cast<long long>(result.about.rows),
        microseconds(result.times, "vendor host csr").c_str(),
        microseconds(result.times, "vendor graph csr").c_str(),
        fastest_of(result, "algorithm1 host").c_str(),
        fastest_of(result, "algorithm1 graph").c_str(), fastest_of(result, "fused plain").c_str(),
        fastest_of(result, "fused graph").c_str(), fastest_of(result, "fused persistent").c_str(),
        result.best_ours.c_str(), result.to_host.median, result.to_graph.median,
        100 * result.to_graph.spread);
  }
  if (std::ranges::any_of(results.cg, &CgResult::surrogate_values)) {
    text += "\n\\* the file's pattern with surrogate values, because CG cannot solve its own\n";
  }
  return text;
}

}  // namespace

const MeasuredTime& SpmvResult::time(const std::string& name) const {
  return find(times, name);
}
const MeasuredTime& CgResult::time(const std::string& name) const {
  return find(times, name);
}

std::string spmv_csv(const GpuResults& results) {
  std::string text = "# " + results.environment + "\n";
  for (const auto& [name, bytes_per_second] : results.streams) {
    text += format("# read stream, %s: %.4g bytes per second\n", name.c_str(), bytes_per_second);
  }
  text +=
      "matrix,precision,rows,nonzeros,csr_bytes,cache,kernel,ours,bytes,median_seconds,"
      "relative_spread,rounds,conversion_seconds,first_conversion_seconds\n";
  for (const SpmvResult& result : results.spmv) {
    for (const MeasuredTime& time : result.times) {
      text += case_cells(result.about) +
              format(",%.0f,%s,%s,%d,%.0f,%.9g,%.3g,%lld,%.6g,%.6g\n", result.csr_bytes,
                     result.cache.c_str(), time.name.c_str(), time.ours ? 1 : 0, time.bytes,
                     time.seconds, time.spread, static_cast<long long>(time.rounds),
                     time.conversion.seconds, time.conversion.first_seconds);
    }
  }
  return text;
}

std::string cg_csv(const GpuResults& results) {
  std::string text = "# " + results.environment + "\n" +
                     "matrix,precision,rows,nonzeros,surrogate_values,iterations,solver,ours,"
                     "median_seconds_per_iteration,relative_spread,rounds\n";
  for (const CgResult& result : results.cg) {
    for (const MeasuredTime& time : result.times) {
      text += case_cells(result.about) + format(",%d,%lld,%s,%d,%.9g,%.3g,%lld\n",
                                                result.surrogate_values ? 1 : 0,
                                                static_cast<long long>(result.iterations),
                                                time.name.c_str(), time.ours ? 1 : 0, time.seconds,
                                                time.spread, static_cast<long long>(time.rounds));
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
  return text;
}

}  // namespace sparsecast
