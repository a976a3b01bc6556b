#include "cli/commands/bench/mapping_benchmark.hpp"

#include <algorithm>
#include <array>

#include "cli/commands/bench/spmv_timing.hpp"
#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/cuda/vendor/vendor_spmv.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/paper/paper_layout.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast::cli {
namespace {

constexpr std::array paper_block_sizes{1, 2, 4, 8};
/// Of one measurement; there are hundreds.
constexpr double seconds_per_case = 0.04;

struct Case {
  Layout layout;
  PaperThreads threads;  ///< of the paper's mappings
};

/// What Figures 2 and 9 need, and each optimisation alone.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Layout& layout : usual_layouts()) all.push_back({layout, {}});
  for (const int n : paper_block_sizes) {
    const auto add = [&](const PaperSpmv& choice, RowOrder order) {
      all.push_back({paper_layout(n, order, choice.mapping, choice.storage),
                     {choice.threads_per_block, choice.blocks_at_once}});
    };
    constexpr int threads = PaperSpmv{}.threads_per_block;
    using enum PaperMapping;
    add({block_row, PaperStorage::plain, threads, 1}, RowOrder::natural);
    add({warp, PaperStorage::plain, threads, 1}, RowOrder::natural);
    for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
      for (const PaperStorage storage :
           {PaperStorage::plain, PaperStorage::padded, PaperStorage::reordered}) {
        add({multiple_block_rows, storage, threads, 1}, order);
      }
    }
    add({multiple_block_rows, PaperStorage::reordered, threads / 2, 1}, RowOrder::sorted);
    for (int bx = 2; bx <= std::min(32, threads / (n * n)); bx *= 2) {
      add({multiple_block_rows, PaperStorage::reordered, threads, bx}, RowOrder::sorted);
    }
  }
  return all;
}

/// Every entry of a matrix in the place of a dense n x n block: the matrix of n unknowns a node.
CsrMatrix<double> with_blocks(const CsrMatrix<double>& nodes, int n) {
  CsrMatrix<double> matrix;
  matrix.rows = nodes.rows * n;
  matrix.columns = nodes.columns * n;
  matrix.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const auto node = static_cast<std::size_t>(row / n);
    for (auto e = nodes.row_offsets[node]; e < nodes.row_offsets[node + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      for (int j = 0; j < n; ++j) {
        matrix.column_indices.push_back(nodes.column_indices[k] * n + j);
        matrix.values.push_back(nodes.values[k] / (1 + j));
      }
    }
    matrix.row_offsets.push_back(static_cast<std::int64_t>(matrix.column_indices.size()));
  }
  return matrix;
}

/// What is told of every measurement, and who is told.
struct Listener {
  std::function<bool(const std::string& what)> goes_on;
  std::function<void(const std::string& what)> left_out;
};

/// Measures all cases on one matrix.
template <class T>
class MatrixRun {
 public:
  MatrixRun(const GpuPart& place, const GpuDevice& gpu, const std::string& name,
            const CsrMatrix<T>& matrix, const Listener& listener)
      : place_(place), gpu_(gpu), matrix_(matrix), listener_(listener) {
    common_.device = gpu.name;
    if (place.multiprocessors > 0) {
      common_.device += " (" + std::to_string(place.multiprocessors) + " multiprocessors)";
    }
    common_.matrix = name;
    common_.unknowns = matrix.rows;
    common_.nonzeros = matrix.nonzeros();
    common_.precision = precision_of<T>();
  }

  std::vector<MappingSample> run() {
    for (const int n : block_sizes) {
      const auto blocks =
          static_cast<double>(count_blocks(matrix_.view().pattern(), {0, matrix_.rows}, n).back());
      for (const Case& which : cases()) {
        if (which.layout.block_size == n) measure_ours(which, blocks * n * n);
      }
    }
    measure_vendor(VendorAlgorithm::csr_alg1);
    measure_vendor(VendorAlgorithm::csr_alg2);
    return std::move(samples_);
  }

 private:
  void measure_ours(const Case& which, double block_elements) {
    MappingSample sample = common_;
    const bool paper = which.layout.format == paper_format_name;
    sample.kernel = paper                            ? "paper"
                    : is_csr_or_blocks(which.layout) ? "default"
                                                     : to_string(which.layout);
    sample.block_size = which.layout.block_size;
    sample.row_order = which.layout.row_order == RowOrder::sorted ? "sorted" : "natural";
    sample.block_elements = block_elements;
    if (paper) {
      const PaperSpmv choice = paper_choice(which.layout, which.threads);
      sample.mapping = to_string(choice.mapping);
      sample.storage = to_string(choice.storage);
      sample.threads_per_block = choice.threads_per_block;
      sample.blocks_at_once = choice.blocks_at_once;
    }
    add(sample, to_string(which.layout), [&](MappingSample& measured) {
      CudaPolicy policy;
      policy.paper = which.threads;
      CudaBackend backend(place_, policy);
      const SpmvTiming spmv = time_spmv(backend, matrix_, which.layout, seconds_per_case);
      measured.stored_elements = spmv.stored_elements;
      measured.bytes = spmv.bytes;
      return spmv.timing;
    });
  }

  void measure_vendor(VendorAlgorithm algorithm) {
    MappingSample sample = common_;
    sample.kernel = to_string(algorithm);
    sample.row_order = "natural";
    sample.block_elements = sample.stored_elements = static_cast<double>(sample.nonzeros);
    add(sample, sample.kernel, [&](MappingSample& measured) {
      VendorSpmv<T> product(place_, matrix_.view(), algorithm);
      product.set_input(std::vector<T>(static_cast<std::size_t>(matrix_.columns), T{1}));
      measured.bytes = static_cast<double>(product.bytes_per_product());
      StopwatchOptions stopwatch;
      stopwatch.max_seconds = seconds_per_case;
      return measure([&](std::int64_t repeats) { product.run(repeats); }, stopwatch);
    });
  }

  /// `measure_case` fills in what it learns of the sample besides the time.
  void add(MappingSample sample, const std::string& what,
           const std::function<Timing(MappingSample&)>& measure_case) {
    if (!listener_.goes_on(sample.matrix + ", " + what)) return;
    try {
      const Timing timing = measure_case(sample);
      sample.seconds = timing.median_seconds;
      sample.relative_spread = timing.relative_spread;
    } catch (const Error& error) {
      listener_.left_out(sample.matrix + ", " + what + ": " + error.what());
      return;
    }
    sample.cache = cache_state(sample.bytes, static_cast<double>(gpu_.l2_bytes));
    samples_.push_back(std::move(sample));
  }

  const GpuPart& place_;
  const GpuDevice& gpu_;
  const CsrMatrix<T>& matrix_;
  const Listener& listener_;
  MappingSample common_;
  std::vector<MappingSample> samples_;
};

}  // namespace

std::vector<MatrixSource> mapping_matrices() {
  const auto random = [](std::int64_t rows, double mean, double deviation, double bandwidth,
                         double run) {
    RandomMatrixSpec spec;
    spec.rows = rows;
    spec.mean_row_length = mean;
    spec.stddev_row_length = deviation;
    spec.bandwidth_fraction = bandwidth;
    spec.mean_run_length = run;
    return random_matrix(spec);
  };
  return {{"dense 2000", [] { return dense(2000, 1); }},
          {"4 x 4 blocks 22^3", [] { return with_blocks(laplacian(27, 22, 22, 22), 4); }},
          {"FEM P1 30^3", [] { return fem_elasticity(1, 30, 1); }},
          {"FEM P2 13^3", [] { return fem_elasticity(2, 13, 1); }},
          {"27-point 60^3", [] { return laplacian(27, 60, 60, 60); }},
          {"band 50 000", [random] { return random(50'000, 39, 2, 0.01, 4); }},
          {"5-point 725^2", [] { return laplacian(5, 725, 725); }},
          {"random 200 000", [random] { return random(200'000, 6, 3, 1, 1); }},
          {"power law 170 000", [] { return power_law(170'000, 6, 3, 1); }},
          {"power law 10^6", [] { return power_law(1'000'000, 3, 2.5, 1); }},
          {"27-point 90^3", [] { return laplacian(27, 90, 90, 90); }}};
}

std::vector<MappingSample> measure_mappings(
    const GpuPart& place, Precision precision, std::span<const MatrixSource> sources,
    const std::function<bool(double, const std::string&)>& progress,
    const std::function<void(const std::string&)>& left_out) {
  const CudaBackend says_what_there_is(place);
  const GpuDevice gpu = list_gpus().part(place);
  double done = 0;
  const double total = static_cast<double>(sources.size() * (cases().size() + 2));
  bool stopped = false;
  const Listener listener{[&](const std::string& what) {
                            stopped = stopped || !progress(done++ / total, what);
                            return !stopped;
                          },
                          left_out};
  std::vector<MappingSample> samples;
  const auto run = [&]<class T>(const std::string& name, const CsrMatrix<T>& matrix) {
    const auto more = MatrixRun<T>(place, gpu, name, matrix, listener).run();
    samples.insert(samples.end(), more.begin(), more.end());
  };
  for (const MatrixSource& source : sources) {
    if (stopped) break;
    const CsrMatrix<double> matrix = source.make();
    if (precision == Precision::f64) {
      run(source.name, matrix);
    } else {
      run(source.name, convert_values<float>(matrix.view()));
    }
  }
  return samples;
}

}  // namespace sparsecast::cli
