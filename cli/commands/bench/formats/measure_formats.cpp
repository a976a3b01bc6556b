#include "cli/commands/bench/formats/measure_formats.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cli/commands/bench/bench_options.hpp"
#include "cli/commands/bench/paper/benched_device.hpp"
#include "cli/commands/bench/paper/measured_case.hpp"
#include "cli/commands/bench/spmv_timing.hpp"
#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/cuda/vendor/vendor_gemv.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast::cli {
namespace {

/// Of one measurement; there are hundreds.
constexpr double seconds_per_case = 0.1;

/// A layout to measure, and under which names.
struct Case {
  Layout layout;
  std::string name;
  std::string x;
};

std::vector<Case> cases_of(const FormatsRequest& request, const std::string& device) {
  const std::vector<Layout> layouts =
      request.layouts.empty() ? compared_layouts(device) : request.layouts;
  std::vector<Case> cases;
  const std::vector<std::string> once{"l1"};
  for (const std::string& x : is_gpu(device) ? request.x : once) {
    for (const Layout& layout : layouts) {
      if (x == "l1") {
        cases.push_back({layout, to_string(layout), x});
      } else if (const std::optional<Layout> uncached = past_l1(layout)) {
        cases.push_back({*uncached, to_string(layout), x});
      }
    }
  }
  return cases;
}

/// Measures everything of one matrix.
class MatrixRun {
 public:
  MatrixRun(const FormatsRequest& request, const FormatMatrix& source,
            const CsrMatrix<double>& matrix, const std::function<bool(const std::string&)>& goes_on)
      : request_(request), source_(source), goes_on_(goes_on) {
    common_.set = source.set;
    common_.matrix = source.name;
    common_.source = source.source;
    common_.scale = source.scale;
    common_.rows = matrix.rows;
    common_.columns = matrix.columns;
    common_.nonzeros = matrix.nonzeros();
  }

  template <class T>
  void measure_on(BenchedDevice& device, const CsrMatrix<T>& matrix) {
    common_.device = device.name;
    common_.description = device.backend->description();
    common_.peak_bytes_per_second = device.peak_bytes_per_second;
    common_.cache_bytes = device.cache_bytes;
    common_.precision = precision_of<T>();
    for (const Case& each : cases_of(request_, device.name)) {
      measure_case(each.name, each.x, [&](FormatMeasurement& m) {
        if (request_.layouts.empty()) require_that_pays(matrix.view().pattern(), each.layout);
        const SpmvTiming timing = time_spmv(*device.backend, matrix, each.layout, seconds_per_case);
        m.stored_elements = timing.stored_elements;
        m.stored_bytes = timing.matrix_bytes;
        m.bytes = timing.bytes;
        return timing.timing;
      });
    }
    const bool through_l1 = std::ranges::count(request_.x, "l1") > 0;
    if (source_.full && is_gpu(device.name) && request_.layouts.empty() && through_l1) {
      measure_case("cublas-gemv", "l1", [&](FormatMeasurement& m) {
        return time_gemv(benched_gpu(device.name), matrix, m);
      });
    }
  }

  std::vector<FormatMeasurement>& measurements() { return measurements_; }

 private:
  /// Throws `Error` for BCSR of which no more than half would be nonzeros.
  void require_that_pays(const PatternView& pattern, const Layout& layout) {
    if (layout.format != "bcsr") return;
    const auto [known, is_new] = elements_.try_emplace(layout.block_size, 0.0);
    if (is_new) {
      const Segment all{0, pattern.rows};
      known->second = static_cast<double>(count_blocks(pattern, all, layout.block_size).back()) *
                      layout.block_size * layout.block_size;
    }
    const double fill = known->second / static_cast<double>(common_.nonzeros);
    constexpr double most_fill = 2;
    if (fill > most_fill) {
      throw Error("layout bcsr: stores more than twice the nonzeros; ask for it by name");
    }
  }

  template <class T>
  static Timing time_gemv(const GpuPart& gpu, const CsrMatrix<T>& matrix, FormatMeasurement& m) {
    VendorGemv<T> product(gpu, matrix.rows, matrix.columns, matrix.values);
    product.set_input(std::vector<T>(static_cast<std::size_t>(matrix.columns), T{1}));
    m.stored_elements = static_cast<double>(matrix.values.size());
    m.stored_bytes = m.stored_elements * sizeof(T);
    m.bytes = m.stored_bytes + static_cast<double>(matrix.rows + matrix.columns) * sizeof(T);
    StopwatchOptions stopwatch;
    stopwatch.max_seconds = seconds_per_case;
    return measure([&](std::int64_t repeats) { product.run(repeats); }, stopwatch);
  }

  /// `time` fills in what it learns besides.
  void measure_case(const std::string& layout, const std::string& x,
                    const std::function<Timing(FormatMeasurement&)>& time) {
    const std::string what = common_.matrix + ", " + std::string(to_string(common_.precision)) +
                             ", " + layout + ", " + common_.device;
    if (!goes_on_(what)) return;
    FormatMeasurement m = common_;
    m.layout = layout;
    m.x = x;
    measurements_.push_back(measured_case(std::move(m), time));
  }

  const FormatsRequest& request_;
  const FormatMatrix& source_;
  const std::function<bool(const std::string&)>& goes_on_;
  FormatMeasurement common_;
  std::map<int, double> elements_;  ///< of BCSR, by its block size
  std::vector<FormatMeasurement> measurements_;
};

}  // namespace

std::optional<Layout> past_l1(const Layout& layout) {
  const std::string name = "uncached-" + to_string(layout);
  for (const Layout& each : all_layouts()) {
    if (to_string(each) == name) return each;
  }
  return std::nullopt;
}

std::vector<Layout> compared_layouts(const std::string& device) {
  std::vector<Layout> layouts;
  for (const char* name : {"dia", "ell", "csr-scalar", "csr-vector", "coo", "hyb-paper", "hyb",
                           "pkt", "csr", "csr-adaptive", "sell32", "sell32-sorted512", "sell128",
                           "bcsr2", "bcsr3", "bcsr4", "bcsr6", "bcsr8", "cusparse"}) {
    const Layout layout = parse_layout(name);
    if (is_gpu(device) || has_cpu_products(layout)) layouts.push_back(layout);
  }
  return layouts;
}

std::vector<FormatMeasurement> measure_formats(
    const FormatsRequest& request,
    const std::function<bool(double, const std::string&)>& progress) {
  std::vector<BenchedDevice> devices;
  std::size_t cases = 0;
  for (const std::string& name : request.devices) {
    devices.push_back(open_benched(name, request.threads));
    cases += cases_of(request, name).size();
  }
  // To make a matrix takes time too.
  const auto total =
      static_cast<double>(request.matrices.size() * (1 + cases * request.precisions.size()));
  double done = 0;
  bool stopped = false;
  const std::function<bool(const std::string&)> goes_on = [&](const std::string& what) {
    stopped = stopped || !progress(std::min(1.0, done++ / total), what);
    return !stopped;
  };
  std::vector<FormatMeasurement> measurements;
  for (const FormatMatrix& source : request.matrices) {
    if (!goes_on(source.name)) break;
    const CsrMatrix<double> matrix = source.make();
    MatrixRun run(request, source, matrix, goes_on);
    for (const Precision precision : request.precisions) {
      if (precision == Precision::f64) {
        for (BenchedDevice& device : devices) run.measure_on(device, matrix);
      } else {
        const CsrMatrix<float> narrow = convert_values<float>(matrix.view());
        for (BenchedDevice& device : devices) run.measure_on(device, narrow);
      }
    }
    std::ranges::move(run.measurements(), std::back_inserter(measurements));
  }
  return measurements;
}

}  // namespace sparsecast::cli
