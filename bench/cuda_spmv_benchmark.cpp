// Our sparse matrix-vector products and CG iterations on cuda:0, beside cuSPARSE's CSR algorithms
// with preprocessing, in one run. Prints a table; `cuda_spmv_benchmark FOLDER` also writes the raw
// numbers to FOLDER/cuda_spmv.csv and FOLDER/cuda_cg.csv.
#include <cuda_runtime.h>
#include <cusparse.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/cg_schedule.hpp"
#include "core/cuda_backend.hpp"
#include "core/error.hpp"
#include "core/file_output.hpp"
#include "core/generators.hpp"
#include "core/gpu_devices.hpp"
#include "core/machine.hpp"
#include "core/microbenchmark_schedules.hpp"
#include "core/stopwatch.hpp"

namespace sparsecast {
namespace {

void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(std::string(what) + ": " + cudaGetErrorString(status));
}
void require(cusparseStatus_t status, const char* what) {
  if (status != CUSPARSE_STATUS_SUCCESS) {
    throw Error(std::string(what) + ": " + cusparseGetErrorString(status));
  }
}

template <class T>
constexpr cudaDataType data_type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;

template <class T>
std::vector<T> random_values(std::int64_t size) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> magnitude(0.5, 1.5);
  std::vector<T> values;
  for (std::int64_t i = 0; i < size; ++i) {
    values.push_back(static_cast<T>(random() % 2 == 0 ? magnitude(random) : -magnitude(random)));
  }
  return values;
}

/// A copy on the device that lives as long as it.
class DeviceCopy {
 public:
  explicit DeviceCopy(std::size_t bytes, const void* from = nullptr) {
    require(cudaMalloc(&data_, std::max<std::size_t>(bytes, 1)), "cudaMalloc");
    if (from != nullptr) {
      require(cudaMemcpy(data_, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    }
  }
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;
  ~DeviceCopy() { cudaFree(data_); }
  void* get() const { return data_; }

 private:
  void* data_ = nullptr;
};

StopwatchOptions patience() {
  StopwatchOptions options;
  options.min_round_seconds = 5e-3;
  options.max_seconds = 0.3;
  return options;
}

/// cuSPARSE on CSR with 32-bit offsets, prepared as its manual advises, launched as a CUDA graph of
/// 16 products (our products are timed as graphs of 8).
template <class T>
class CusparseProduct {
 public:
  CusparseProduct(const CsrMatrix<T>& matrix, const std::vector<T>& input,
                  cusparseSpMVAlg_t algorithm)
      : rows_(matrix.rows),
        algorithm_(algorithm),
        offsets_(std::vector<std::int32_t>(matrix.row_offsets.begin(), matrix.row_offsets.end())),
        device_offsets_(offsets_.size() * 4, offsets_.data()),
        columns_(matrix.column_indices.size() * 4, matrix.column_indices.data()),
        values_(matrix.values.size() * sizeof(T), matrix.values.data()),
        input_(input.size() * sizeof(T), input.data()),
        output_(static_cast<std::size_t>(rows_) * sizeof(T)) {
    require(cudaStreamCreate(&stream_), "cudaStreamCreate");
    require(cusparseCreate(&handle_), "cusparseCreate");
    require(cusparseSetStream(handle_, stream_), "cusparseSetStream");
    require(
        cusparseCreateCsr(&matrix_, matrix.rows, matrix.columns, matrix.nonzeros(),
                          device_offsets_.get(), columns_.get(), values_.get(), CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, data_type<T>),
        "cusparseCreateCsr");
    require(cusparseCreateDnVec(&x_, matrix.columns, input_.get(), data_type<T>), "x");
    require(cusparseCreateDnVec(&y_, matrix.rows, output_.get(), data_type<T>), "y");
    std::size_t bytes = 0;
    require(cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_,
                                    &zero_, y_, data_type<T>, algorithm_, &bytes),
            "cusparseSpMV_bufferSize");
    require(cudaMalloc(&buffer_, std::max<std::size_t>(bytes, 1)), "cudaMalloc");
    require(cusparseSpMV_preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_,
                                    &zero_, y_, data_type<T>, algorithm_, buffer_),
            "cusparseSpMV_preprocess");
    multiply();
    require(cudaStreamSynchronize(stream_), "first product");
    cudaGraph_t graph = nullptr;
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "capture");
    for (int i = 0; i < per_graph; ++i) multiply();
    require(cudaStreamEndCapture(stream_, &graph), "capture");
    require(cudaGraphInstantiate(&graph_, graph, 0), "cudaGraphInstantiate");
    require(cudaGraphDestroy(graph), "cudaGraphDestroy");
  }
  CusparseProduct(const CusparseProduct&) = delete;
  CusparseProduct& operator=(const CusparseProduct&) = delete;
  ~CusparseProduct() {
    cudaGraphExecDestroy(graph_);
    cusparseDestroyDnVec(x_);
    cusparseDestroyDnVec(y_);
    cusparseDestroySpMat(matrix_);
    cusparseDestroy(handle_);
    cudaFree(buffer_);
    cudaStreamDestroy(stream_);
  }

  Timing time() {
    // The repeats of the stopwatch are graphs here.
    Timing timing = measure(
        [this](std::int64_t repeats) {
          for (std::int64_t i = 0; i < repeats; ++i) {
            require(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch");
          }
          require(cudaStreamSynchronize(stream_), "product");
        },
        patience());
    timing.median_seconds /= per_graph;
    return timing;
  }

  std::vector<T> output() const {
    std::vector<T> values(static_cast<std::size_t>(rows_));
    require(
        cudaMemcpy(values.data(), output_.get(), values.size() * sizeof(T), cudaMemcpyDeviceToHost),
        "output");
    return values;
  }

 private:
  static constexpr int per_graph = 16;
  void multiply() {
    require(cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_,
                         data_type<T>, algorithm_, buffer_),
            "cusparseSpMV");
  }

  std::int64_t rows_;
  cusparseSpMVAlg_t algorithm_;
  std::vector<std::int32_t> offsets_;
  DeviceCopy device_offsets_, columns_, values_, input_, output_;
  T one_ = 1;
  T zero_ = 0;
  cudaStream_t stream_ = nullptr;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr;
  cusparseDnVecDescr_t y_ = nullptr;
  void* buffer_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
};

template <class T>
double difference(const std::vector<T>& a, const std::vector<T>& b) {
  double sum = 0;
  double norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    norm += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(sum / norm);
}

struct Case {
  std::string name;
  std::function<CsrMatrix<double>()> make;
  int cg_block_size;  ///< of the layout in which CG is timed: that of the unknowns a node
  std::vector<int> block_sizes;  ///< of the layouts that are compared
};

std::vector<Case> cases() {
  return {{"5-point 1000^2", [] { return laplacian(5, 1000, 1000); }, 1, {1}},
          {"5-point 3000^2", [] { return laplacian(5, 3000, 3000); }, 1, {1}},
          {"27-point 60^3", [] { return laplacian(27, 60, 60, 60); }, 1, {1, 2}},
          {"27-point 100^3", [] { return laplacian(27, 100, 100, 100); }, 1, {1, 2}},
          {"27-point 160^3", [] { return laplacian(27, 160, 160, 160); }, 1, {1, 2}},
          {"FEM 26^3 nodes", [] { return fem_elasticity(1, 25, 1); }, 3, {1, 3, 6}},
          {"FEM 41^3 nodes", [] { return fem_elasticity(1, 40, 1); }, 3, {1, 3, 6}},
          {"FEM 70^3 nodes", [] { return fem_elasticity(1, 69, 1); }, 3, {1, 3, 6}},
          {"power law 10^6", [] { return power_law(1'000'000, 10, 2.2, 1); }, 1, {1}}};
}

std::string cache_state(double bytes, std::int64_t l2_bytes) {
  const auto l2 = static_cast<double>(l2_bytes);
  return bytes < 0.8 * l2 ? "hot" : bytes > 2 * l2 ? "cold" : "mixed";
}

std::string format(const char* text, auto... arguments) {
  const int size = std::snprintf(nullptr, 0, text, arguments...);
  std::string result(static_cast<std::size_t>(size), '\0');
  std::snprintf(result.data(), result.size() + 1, text, arguments...);
  return result;
}

template <class T>
void compare_products(const Case& test, const CsrMatrix<T>& matrix, const GpuDevice& gpu,
                      std::string& csv) {
  const auto input = random_values<T>(matrix.columns);
  const char* precision = to_string(precision_of<T>()).data();
  const auto record = [&](const std::string& who, double bytes, const Timing& timing) {
    csv +=
        format("%s,%s,%lld,%lld,%s,%.0f,%s,%.9g,%.3g,%.3g,%lld,%zu\n", test.name.c_str(), precision,
               static_cast<long long>(matrix.rows), static_cast<long long>(matrix.nonzeros()),
               who.c_str(), bytes, cache_state(bytes, gpu.l2_bytes).c_str(), timing.median_seconds,
               timing.relative_spread, timing.relative_error,
               static_cast<long long>(timing.repeats), timing.round_seconds.size());
  };
  const double csr_bytes = static_cast<double>(matrix.nonzeros()) * (4 + sizeof(T)) +
                           static_cast<double>(matrix.rows) * (4 + 2 * sizeof(T));

  double vendor = std::numeric_limits<double>::infinity();
  std::vector<T> expected;
  std::string line;
  for (const auto& [name, algorithm] :
       {std::pair{"alg1", CUSPARSE_SPMV_CSR_ALG1}, std::pair{"alg2", CUSPARSE_SPMV_CSR_ALG2}}) {
    CusparseProduct<T> product(matrix, input, algorithm);
    const Timing timing = product.time();
    expected = product.output();
    record(std::string("cusparse_") + name, csr_bytes, timing);
    line += format(" %s %.1f", name, 1e6 * timing.median_seconds);
    vendor = std::min(vendor, timing.median_seconds);
  }

  double best = std::numeric_limits<double>::infinity();
  double best_default = best;
  for (const int block_size : test.block_sizes) {
    CudaPolicy policy;
    int usual = 0;
    for (const int step : {0, -1, 1}) {  // the policy's lanes, half, twice as many
      policy.lanes_per_row = step == 0 ? 0 : step < 0 ? usual / 2 : usual * 2;
      if (step != 0 && (policy.lanes_per_row < 1 || policy.lanes_per_row > 32)) continue;
      CudaBackend backend(gpu.index, policy);
      const auto prepared =
          backend.prepare(single_step_schedule("SpMV"), matrix.view(), block_layout(block_size));
      if (step == 0) usual = spmv_lanes(prepared->segments()[0], block_size, policy);
      prepared->set_vector("v", input);
      const Timing timing =
          measure([&](std::int64_t repeats) { prepared->run(repeats); }, patience());
      std::vector<T> output(static_cast<std::size_t>(matrix.rows));
      prepared->get_vector("u", output);
      const double error = difference(output, expected);
      if (!(error < (sizeof(T) == 4 ? 1e-5 : 1e-13))) {
        throw Error(test.name + ": differs from cuSPARSE by " + std::to_string(error));
      }
      const std::string who = to_string(block_layout(block_size)) + "_lanes" +
                              std::to_string(step == 0 ? usual : policy.lanes_per_row) +
                              (step == 0 ? "_default" : "");
      const auto bytes = static_cast<double>(prepared->bytes_per_device()[0]);
      record(who, bytes, timing);
      line += format(" | %s %.1f (%.2f TB/s)", who.c_str(), 1e6 * timing.median_seconds,
                     1e-12 * bytes / timing.median_seconds);
      best = std::min(best, timing.median_seconds);
      if (step == 0) best_default = std::min(best_default, timing.median_seconds);
    }
  }
  std::printf("%-15s %s %-5s default %.2fx, best %.2fx of cuSPARSE; us:%s\n", test.name.c_str(),
              precision, cache_state(csr_bytes, gpu.l2_bytes).c_str(), vendor / best_default,
              vendor / best, line.c_str());
  std::fflush(stdout);
}

/// Time per iteration of Algorithm 1, as plain launches and as a graph.
template <class T>
void compare_launch_modes(const Case& test, const CsrMatrix<T>& matrix, const GpuDevice& gpu,
                          std::string& csv) {
  std::vector<T> c(static_cast<std::size_t>(matrix.rows));
  for (std::size_t row = 0; row < c.size(); ++row) {
    for (auto e = static_cast<std::size_t>(matrix.row_offsets[row]);
         e < static_cast<std::size_t>(matrix.row_offsets[row + 1]); ++e) {
      if (matrix.column_indices[e] == static_cast<std::int32_t>(row)) {
        c[row] = static_cast<T>(1 / std::sqrt(static_cast<double>(matrix.values[e])));
      }
    }
  }
  const auto b = random_values<T>(matrix.rows);
  const std::vector<T> zero(c.size(), T{0});
  double medians[2];
  for (int k = 0; k < 2; ++k) {
    CudaPolicy policy;
    policy.launch_mode = k == 0 ? LaunchMode::plain : LaunchMode::graph;
    CudaBackend backend(gpu.index, policy);
    const auto prepared =
        backend.prepare(algorithm1_schedule(), matrix.view(), block_layout(test.cg_block_size));
    prepared->set_vector("b", b);
    prepared->set_vector("c", c);
    // Few enough that no residual gets to zero.
    constexpr std::int64_t iterations = 48;
    std::vector<double> seconds;
    for (int round = 0; round < 12; ++round) {
      prepared->set_vector("x", zero);
      prepared->run_setup();
      const auto begin = std::chrono::steady_clock::now();
      const std::int64_t done = prepared->run(iterations).iterations;
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      if (done != iterations) throw Error(test.name + ": CG ended early");
      if (round >= 2) seconds.push_back(taken.count() / static_cast<double>(iterations));
    }
    const Timing timing = summarize(seconds, iterations, 0.01);
    medians[k] = timing.median_seconds;
    csv += format("%s,%s,%lld,%lld,%s,%s,%.9g,%.3g\n", test.name.c_str(),
                  to_string(precision_of<T>()).data(), static_cast<long long>(matrix.rows),
                  static_cast<long long>(matrix.nonzeros()),
                  to_string(block_layout(test.cg_block_size)).c_str(), k == 0 ? "plain" : "graph",
                  timing.median_seconds, timing.relative_spread);
  }
  std::printf("%-15s %s Algorithm 1, us per iteration: plain %.1f, graph %.1f (%.2fx)\n",
              test.name.c_str(), to_string(precision_of<T>()).data(), 1e6 * medians[0],
              1e6 * medians[1], medians[0] / medians[1]);
  std::fflush(stdout);
}

template <class T>
void read_stream(const GpuDevice& gpu, std::string& csv) {
  CudaBackend backend(gpu.index);
  constexpr std::int64_t unknowns = std::int64_t{1} << 26;
  for (const int count : {1, 8}) {
    for (const bool variable : {false, true}) {
      const Schedule schedule = load_schedule(count, variable);
      const auto prepared = [&] {
        if constexpr (std::is_same_v<T, float>) {
          return backend.prepare_vectors_f32(schedule, unknowns);
        } else {
          return backend.prepare_vectors_f64(schedule, unknowns);
        }
      }();
      const auto values = random_values<T>(unknowns);
      for (int k = 1; k <= count; ++k) prepared->set_vector("load" + std::to_string(k), values);
      const Timing timing =
          measure([&](std::int64_t repeats) { prepared->run(repeats); }, patience());
      const double bytes = static_cast<double>(unknowns) * count * sizeof(T);
      std::printf("%-15s %s %d vectors, %s grid: %.2f TB/s\n", "read stream",
                  to_string(precision_of<T>()).data(), count, variable ? "variable" : "fixed",
                  1e-12 * bytes / timing.median_seconds);
      csv += format("read stream %d %s,%s,%lld,0,load,%.0f,cold,%.9g,%.3g,%.3g,%lld,%zu\n", count,
                    variable ? "variable" : "fixed", to_string(precision_of<T>()).data(),
                    static_cast<long long>(unknowns), bytes, timing.median_seconds,
                    timing.relative_spread, timing.relative_error,
                    static_cast<long long>(timing.repeats), timing.round_seconds.size());
    }
  }
}

int run(int count, char** arguments) {
  const GpuList gpus = list_gpus();
  if (gpus.devices.empty()) throw Error(gpus.absence);
  const GpuDevice& gpu = gpus.devices[0];
  const Environment environment = describe_environment();
  std::printf("%s, %d multiprocessors, %.0f MB L2, ECC %s, driver for CUDA %s, runtime %s, %s\n",
              gpu.name.c_str(), gpu.multiprocessors, 1e-6 * static_cast<double>(gpu.l2_bytes),
              gpu.ecc ? "on" : "off", gpus.driver_version.c_str(), gpus.runtime_version.c_str(),
              environment.date.c_str());
  std::string spmv =
      "matrix,precision,rows,nonzeros,kernel,bytes,cache,median_seconds,relative_spread,"
      "relative_error,repeats,rounds\n";
  std::string cg = "matrix,precision,rows,nonzeros,layout,launch,median_seconds,relative_spread\n";
  read_stream<float>(gpu, spmv);
  read_stream<double>(gpu, spmv);
  for (const Case& test : cases()) {
    const CsrMatrix<double> f64 = test.make();
    const CsrMatrix<float> f32 = convert_values<float>(f64.view());
    compare_products<float>(test, f32, gpu, spmv);
    compare_products<double>(test, f64, gpu, spmv);
    compare_launch_modes<float>(test, f32, gpu, cg);
    compare_launch_modes<double>(test, f64, gpu, cg);
    if (count > 1) {
      write_file_atomically(std::string(arguments[1]) + "/cuda_spmv.csv", spmv);
      write_file_atomically(std::string(arguments[1]) + "/cuda_cg.csv", cg);
    }
  }
  return 0;
}

}  // namespace
}  // namespace sparsecast

int main(int count, char** arguments) {
  try {
    return sparsecast::run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_spmv_benchmark: %s\n", error.what());
    return 1;
  }
}
