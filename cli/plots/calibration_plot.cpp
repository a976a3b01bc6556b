#include "cli/plots/calibration_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "calibrate/fit/curves/curve_samples.hpp"
#include "cli/plots/colours.hpp"
#include "cli/plots/gnuplot.hpp"
#include "core/base/error.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast::cli {

namespace {

/// One kernel in a panel.
struct Series {
  std::string key;
  std::string label;
};

struct Panel {
  std::string title;
  std::vector<Series> series;
  bool maximum = false;  ///< the maximum curve too
};

std::string text(const char* format, auto... arguments) {
  std::array<char, 300> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, arguments...);
  return buffer.data();
}

class CalibrationPlot {
 public:
  CalibrationPlot(const SampleFile& samples, const ProfileFit& fit, Precision precision)
      : samples_(samples), fit_(fit), precision_(precision) {}

  std::vector<Panel> panels() const {
    std::vector<Panel> all;
    for (const auto& [kind, title] :
         {std::pair{"fixed", "Load, fixed split"}, std::pair{"variable", "Load, variable split"}}) {
      Panel panel{title, {}, false};
      for (const int vectors : {1, 2, 4, 8}) {
        const std::string count = std::to_string(vectors);
        panel.series.push_back(
            {"Load/" + count + '/' + kind, vectors == 1 ? "1 vector" : count + " vectors"});
      }
      all.push_back(panel);
    }
    all.push_back({"Reads and writes",
                   {{"Mixed/1r1w", "1 read, 1 write"},
                    {"Mixed/2r1w", "2 reads, 1 write"},
                    {"Mixed/1r2w", "1 read, 2 writes"}},
                   false});
    Panel kernels{"Vector kernels", {}, false};
    for (const char* kernel : {"CG1", "CG2", "CG3", "CG4", "CG5", "Red"}) {
      kernels.series.push_back({kernel, kernel});
    }
    all.push_back(kernels);
    for (const int block_size : block_sizes) {
      const std::string layout = to_string(block_layout(block_size));
      const std::string size = std::to_string(block_size);
      all.push_back({"SpMV, " + (block_size == 1 ? "CSR" : size + " x " + size + " blocks"),
                     {{"SpMV/" + layout, "average"}},
                     true});
    }
    std::erase_if(all, [this](const Panel& panel) {
      return std::ranges::none_of(panel.series, [this](const Series& series) {
        return !fit_points(samples_.samples, precision_, series.key).empty();
      });
    });
    return all;
  }

  std::string script(const std::vector<Panel>& panels, int rows, int columns) const {
    std::string script = data(panels);
    script += "set multiplot layout " + std::to_string(rows) + ',' + std::to_string(columns) +
              " title " +
              gnuplot_quote(samples_.origin.device + ", " + std::string(to_string(precision_))) +
              "\n"
              "set logscale x 10\n"
              "set format x '10^{%T}'\n"
              "set xtics 100 font ',12'\n"
              "set mxtics 2\n"
              "set ytics font ',12'\n"
              "set grid xtics ytics lt 1 lc rgb '#dddddd' lw 0.6\n"
              "set border 3 lc rgb '#444444'\n"
              "set tics nomirror\n"
              "set samples 400\n"
              "set key top left reverse Left samplen 1.5 font ',12'\n"
              "set xlabel 'transferred elements m' font ',12' offset 0,0.4\n"
              "set ylabel 'throughput, GB/s' font ',12' offset 1,0\n"
              "set tmargin 2.2\n"
              "set title font ',14' offset 0,-0.5\n"
              "B(m, mu, sigma, nu) = nu / (1 + exp(-(log(m) / log(2) - mu) / sigma))\n"
              "C(m, mu, sigma, nu, slower, ratio, sharpness) = 1 / (1 / B(m, mu, sigma, nu) + "
              "slower / (1 + (ratio / m)**sharpness))\n";
    int block = 0;
    for (const Panel& panel : panels) script += panel_script(panel, block);
    return script + "unset multiplot\n";
  }

 private:
  /// The samples of every series that has any, as numbered data blocks.
  std::string data(const std::vector<Panel>& panels) const {
    std::string script;
    int block = 0;
    for (const Panel& panel : panels) {
      for (const Series& series : panel.series) {
        const auto points = fit_points(samples_.samples, precision_, series.key);
        if (points.empty()) continue;
        script += "$samples" + std::to_string(block++) + " << EOD\n";
        for (const FitPoint& point : points) {
          script += text("%.6g %.6g\n", point.elements,
                         point.elements * point.bytes_per_value / point.seconds / 1e9);
        }
        script += "EOD\n";
      }
    }
    return script;
  }

  const KernelFit* fit_of(const std::string& key) const {
    const auto found = std::ranges::find_if(fit_.kernels, [&](const KernelFit& kernel) {
      return kernel.precision == precision_ && kernel.key == key;
    });
    return found == fit_.kernels.end() ? nullptr : &*found;
  }

  std::string panel_script(const Panel& panel, int& block) const {
    std::string plots;
    std::size_t colour = 0;
    double least = 1e300;
    double most = 0;
    double top = 0;
    for (const Series& series : panel.series) {
      const auto points = fit_points(samples_.samples, precision_, series.key);
      if (points.empty()) continue;
      for (const FitPoint& point : points) {
        least = std::min(least, point.elements);
        most = std::max(most, point.elements);
        top = std::max(top, point.elements * point.bytes_per_value / point.seconds / 1e9);
      }
      const char* rgb = colours[colour++ % colours.size()].data();
      plots +=
          text("$samples%d using 1:2 with points pt 7 ps 0.35 lc rgb '%s' notitle, ", block++, rgb);
      const KernelFit* kernel = fit_of(series.key);
      if (kernel == nullptr || !kernel->ok()) {
        plots += text("NaN with lines lw 2 lc rgb '%s' title ", rgb) +
                 gnuplot_quote(series.label + " (no fit)") + ", ";
        continue;
      }
      const double full = elements_that_fill_the_cache(series.key);
      plots += curve(kernel->average.curve, full, rgb, "1", series.label);
      if (panel.maximum)
        plots += curve(kernel->maximum.curve, full, colours[1].data(), "2", "maximum");
    }
    plots.resize(plots.size() - 2);
    // Room above the samples for the key.
    constexpr double head_room = 1.45;
    return "set title " + gnuplot_quote(panel.title) + '\n' +
           text("set xrange [%g:%g]\nset yrange [0:%g]\n", least / 1.5, most * 1.5,
                top * head_room) +
           "plot " + plots + '\n';
  }

  /// The m whose working set is as large as the cache: the median over samples, for the bytes
  /// behind an element differ between matrices. 0 without a cache.
  double elements_that_fill_the_cache(const std::string& key) const {
    if (!fit_.profile.cache) return 0;
    std::vector<double> elements;
    for (const Sample& sample : samples_.samples) {
      if (sample.precision == precision_ && sample.devices == 1 && curve_key(sample) == key) {
        elements.push_back(fit_.profile.cache->capacity_bytes * sample.elements /
                           working_set_of(sample));
      }
    }
    std::ranges::sort(elements);
    return elements[elements.size() / 2];
  }

  std::string curve(const ThroughputCurve& curve, double elements_in_cache, const char* rgb,
                    const char* dash, const std::string& label) const {
    if (curve.memory_nu > 0) {
      return text(
                 "C(x, %.8g, %.8g, %.8g, %.8g, %.8g, %.8g) with lines lw 2 dt %s lc rgb '%s' "
                 "title ",
                 curve.mu, curve.sigma, curve.nu, 1 / curve.memory_nu - 1 / curve.nu,
                 elements_in_cache, fit_.profile.cache->sharpness, dash, rgb) +
             gnuplot_quote(label) + ", ";
    }
    return text("B(x, %.8g, %.8g, %.8g) with lines lw 2 dt %s lc rgb '%s' title ", curve.mu,
                curve.sigma, curve.nu, dash, rgb) +
           gnuplot_quote(label) + ", ";
  }

  const SampleFile& samples_;
  const ProfileFit& fit_;
  Precision precision_;
};

}  // namespace

void plot_calibration(const std::filesystem::path& file, const SampleFile& samples,
                      const ProfileFit& fit, Precision precision) {
  const CalibrationPlot plot(samples, fit, precision);
  const std::vector<Panel> panels = plot.panels();
  if (panels.empty()) {
    throw Error(file.string() + ": nothing to draw in " + std::string(to_string(precision)) +
                "; choose the other with --precision");
  }
  constexpr int columns = 2;
  constexpr int panel_width = 520;
  constexpr int panel_height = 310;
  const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  draw_with_gnuplot(file, plot.script(panels, rows, columns), columns * panel_width,
                    rows * panel_height + 40);
}

}  // namespace sparsecast::cli
