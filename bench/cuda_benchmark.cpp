// Our products and CG on cuda:0 in every layout that may pay, against all of cuSPARSE's products
// and Jacobi-CG from cuSPARSE and cuBLAS, in one run: matrices, peers and bars of
// docs/benchmarks/h200_cuda.md.
//
//   cuda_benchmark [--cases KINDS] [--match TEXT] FOLDER [MATRIX...]
//     KINDS   of generated matrices, a list: see gpu_cases.hpp; all but the largest, and none in
//             packets, unless told
//     TEXT    only matrices whose name contains it
//
// Writes FOLDER/cuda_spmv.csv, FOLDER/cuda_cg.csv (raw numbers, after every matrix) and
// FOLDER/cuda_tables.md (the tables made of them, which it also prints).
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bench/cuda_cg_race.hpp"
#include "bench/cuda_results.hpp"
#include "bench/cuda_spmv_race.hpp"
#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/cpu/machine.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/matrix/files/read_matrix_file.hpp"
#include "core/matrix/renumbering.hpp"
#include "predict/validation/validation_run.hpp"

namespace sparsecast {
namespace {

using Clock = std::chrono::steady_clock;
/// What graphs, random orders and files are renumbered by, in turn.
constexpr std::array tried_orders{Renumbering::rcm, Renumbering::hubs};

struct Arguments {
  std::string cases = "small,large,fem,irregular,networks,orders";
  std::string match;
  std::string folder;
  std::vector<std::string> files;
};

Arguments parse(std::span<char*> words) {
  Arguments arguments;
  while (words.size() > 1 && words[0][0] == '-') {
    const std::string_view option = words[0];
    if (option != "--match" && option != "--cases") break;
    (option == "--match" ? arguments.match : arguments.cases) = words[1];
    words = words.subspan(2);
  }
  if (words.empty() || words[0][0] == '-') {
    throw Error("expected [--cases KINDS] [--match TEXT] FOLDER [MATRIX...]");
  }
  arguments.folder = words[0];
  for (char* file : words.subspan(1)) arguments.files.emplace_back(file);
  return arguments;
}

std::vector<GpuCase> chosen_cases(const Arguments& arguments) {
  std::vector<GpuCase> all;
  if (!arguments.cases.empty()) all = gpu_cases_of(arguments.cases);
  for (const std::string& file : arguments.files) {
    std::string name = std::filesystem::path(file).filename().string();
    name.resize(std::min(name.find('.'), name.size()));
    all.push_back({name, GpuCase::Kind::file, [file] { return read_matrix_file(file).matrix; }});
  }
  std::erase_if(
      all, [&](const GpuCase& one) { return one.name.find(arguments.match) == std::string::npos; });
  return all;
}

std::string describe(const GpuList& gpus, const GpuDevice& gpu) {
  std::string text = gpu.name + ", " + std::to_string(gpu.multiprocessors) + " SMs, " +
                     std::to_string(std::llround(1e-6 * static_cast<double>(gpu.l2_bytes))) +
                     " MB L2, ECC " + (gpu.ecc ? "on" : "off") + ", driver " + gpus.driver_release +
                     " for CUDA " + gpus.driver_version + ", runtime " + gpus.runtime_version;
  if (gpu.management) {
    text += ", SM clock " + std::to_string(std::llround(1e-6 * gpu.management->core_clock_hertz)) +
            " of " + std::to_string(std::llround(1e-6 * gpu.management->most_core_clock_hertz)) +
            " MHz, " + std::to_string(gpu.management->other_processes.size()) +
            " other processes on it";
  }
  return text + ", " + describe_environment().date;
}

/// Every race of one matrix.
class Benchmark {
 public:
  Benchmark(const Arguments& arguments, const GpuDevice& gpu, GpuResults& results)
      : folder_(arguments.folder), gpu_(gpu), results_(results) {}

  void run(const GpuCase& which) {
    const CsrMatrix<double> matrix = which.make();
    CsrMatrix<double> replaced;
    bool surrogate = false;
    const bool square = matrix.rows == matrix.columns;
    if (square) {
      CudaBackend backend(gpu_.index);
      surrogate = !can_be_solved(matrix, compute_features(matrix.view()), backend);
      if (surrogate) replaced = spd_surrogate(matrix);
    }
    const CsrView<double> solvable = surrogate ? replaced.view() : matrix.view();
    std::vector<Permutation> orders;
    if (square && which.kind != GpuCase::Kind::grid && which.kind != GpuCase::Kind::elements &&
        which.kind != GpuCase::Kind::scalar_elements) {
      for (const Renumbering how : tried_orders) {
        orders.push_back(make_permutation(how, matrix.view(), 1));
      }
    }
    compare_or_say<double>(which, matrix.view(), solvable, orders, surrogate);
    const CsrMatrix<float> single = convert_values<float>(matrix.view());
    CsrMatrix<float> single_replaced;
    if (surrogate) single_replaced = convert_values<float>(replaced.view());
    compare_or_say<float>(which, single.view(), surrogate ? single_replaced.view() : single.view(),
                          orders, surrogate);
  }

  void write() const {
    write_file(folder_ + "/cuda_spmv.csv", spmv_csv(results_));
    write_file(folder_ + "/cuda_cg.csv", cg_csv(results_));
    write_file(folder_ + "/cuda_tables.md", tables(results_));
  }

 private:
  /// The matrix as given, and renumbered; `keep` holds what they refer to.
  template <class T>
  static std::vector<OrderedMatrix<T>> ordered(const CsrView<T>& matrix,
                                               const std::vector<Permutation>& orders,
                                               std::vector<CsrMatrix<T>>& keep) {
    std::vector<OrderedMatrix<T>> all{{"given", matrix}};
    keep.reserve(orders.size());
    for (std::size_t i = 0; i < orders.size(); ++i) {
      keep.push_back(renumber<T>(matrix, orders[i]));
      all.push_back({std::string(to_string(tried_orders[i])), keep.back().view()});
    }
    return all;
  }

  /// What fails in one precision leaves the other.
  template <class T>
  void compare_or_say(const GpuCase& which, const CsrView<T>& matrix, const CsrView<T>& solvable,
                      const std::vector<Permutation>& orders, bool surrogate) {
    try {
      compare<T>(which, matrix, solvable, orders, surrogate);
    } catch (const Error& error) {
      results_.failures.push_back(which.name + " " + std::string(to_string(precision_of<T>())) +
                                  ": " + error.what());
    }
  }

  template <class T>
  void compare(const GpuCase& which, const CsrView<T>& matrix, const CsrView<T>& solvable,
               const std::vector<Permutation>& orders, bool surrogate) {
    MeasuredCase about{which.name, which.kind, precision_of<T>(), matrix.rows, matrix.nonzeros()};
    std::vector<CsrMatrix<T>> keep;
    const std::vector<OrderedMatrix<T>> all = ordered(matrix, orders, keep);
    const SpmvResult products = race_products<T>(about, all, gpu_, results_.failures);
    results_.spmv.push_back(products);
    std::string line = about.text() + ": products " + std::to_string(products.ratio.median) +
                       " of " + products.best_peer + " (" + products.best_ours +
                       "), in any order " + std::to_string(products.any_order.median);
    if (matrix.rows == matrix.columns) {
      about.nonzeros = solvable.nonzeros();
      std::vector<CsrMatrix<T>> keep_solvable;
      const std::vector<OrderedMatrix<T>> systems =
          surrogate ? ordered(solvable, orders, keep_solvable) : all;
      auto solvers = race_solvers<T>(about, systems, products.layouts, gpu_, results_.failures);
      if (solvers) {
        solvers->surrogate_values = surrogate;
        line += "; CG " + std::to_string(solvers->to_graph.median) + " of the vendor's graph (" +
                solvers->best_ours + "), in any order " + std::to_string(solvers->any_order.median);
        results_.cg.push_back(std::move(*solvers));
      } else {
        results_.failures.push_back(about.text() +
                                    ": no CG, which ends within a few iterations or has no peer");
      }
    }
    std::fprintf(stderr, "%s\n", line.c_str());
  }

  std::string folder_;
  const GpuDevice& gpu_;
  GpuResults& results_;
};

void run(const Arguments& arguments) {
  const Clock::time_point start = Clock::now();
  std::filesystem::create_directories(arguments.folder);
  const GpuList gpus = list_gpus();
  if (gpus.devices.empty()) throw Error(gpus.absence);
  const GpuDevice& gpu = gpus.devices[0];
  GpuResults results;
  results.environment = describe(gpus, gpu);
  measure_streams<float>(gpu, results);
  measure_streams<double>(gpu, results);
  Benchmark benchmark(arguments, gpu, results);
  for (const GpuCase& which : chosen_cases(arguments)) {
    try {
      benchmark.run(which);
    } catch (const Error& error) {
      results.failures.push_back(which.name + ": " + error.what());
    }
    results.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    benchmark.write();
  }
  std::fputs(tables(results).c_str(), stdout);
}

}  // namespace
}  // namespace sparsecast

int main(int count, char** words) {
  try {
    sparsecast::run(sparsecast::parse({words + 1, static_cast<std::size_t>(count - 1)}));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_benchmark: %s\n", error.what());
    return 1;
  }
}
