// An iteration of fused CG on several GPUs against the best of one, on 27-point grids, in one run.
//
//   multi_gpu_benchmark [DEVICES [PRECISION [SIZE...]]]     cuda:0,cuda:1 f64 40 60 80 100 160
//
// All ways take turns in every round; a number is the median of `rounds`:
//   one        the faster of a graph and the persistent kernel on the first GPU, microseconds
//   halo, peer, staged   on all GPUs, by exchange
//   speedup    one / the fastest of those, the median of rounds
//   alone      the slowest segment by itself on its GPU (its rows and columns as a system), as
//   graph parallel   what going parallel costs: halo - alone

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cuda_race.hpp"
#include "core/analysis/partition.hpp"
#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/cg_schedule.hpp"

namespace sparsecast {
namespace {

constexpr int rounds = 5;
constexpr double seconds_per_round = 0.04;
/// Larger systems are far from what the slower ways are for, and take long to prepare.
constexpr std::int64_t large = 5'000'000;

/// The rows of a segment without the columns of others.
template <class T>
CsrMatrix<T> principal_part(const CsrView<T>& matrix, const Segment& segment) {
  CsrMatrix<T> part;
  part.rows = part.columns = segment.rows();
  part.row_offsets.push_back(0);
  for (std::int64_t row = segment.begin_row; row < segment.end_row; ++row) {
    for (std::int64_t e = matrix.row_offsets[static_cast<std::size_t>(row)];
         e < matrix.row_offsets[static_cast<std::size_t>(row) + 1]; ++e) {
      const std::int32_t column = matrix.column_indices[static_cast<std::size_t>(e)];
      if (column < segment.begin_row || column >= segment.end_row) continue;
      part.column_indices.push_back(static_cast<std::int32_t>(column - segment.begin_row));
      part.values.push_back(matrix.values[static_cast<std::size_t>(e)]);
    }
    part.row_offsets.push_back(part.nonzeros());
  }
  return part;
}

template <class T>
class Race {
 public:
  explicit Race(const std::vector<GpuPart>& devices) : devices_(devices) {}

  void run(std::int64_t size) {
    const CsrMatrix<double> grid = laplacian(27, size, size, size);
    const CsrMatrix<T> matrix = convert_values<T>(grid.view());
    const CsrView<T> view = matrix.view();
    const bool is_large = matrix.rows > large;
    contestants_.clear();
    add("graph", {devices_[0]}, LaunchMode::graph, ExchangeMode::automatic, view);
    if (!is_large) {
      add("persistent", {devices_[0]}, LaunchMode::persistent, ExchangeMode::automatic, view);
    }
    for (const ExchangeMode mode : {ExchangeMode::halo, ExchangeMode::peer, ExchangeMode::staged}) {
      if (is_large && mode == ExchangeMode::staged) continue;
      add(std::string(to_string(mode)), devices_, LaunchMode::graph, mode, view);
    }
    const auto segments =
        partition(view, Layout{}, static_cast<int>(devices_.size()), gpu_row_alignment);
    std::vector<CsrMatrix<T>> parts;
    for (const Segment& segment : segments) parts.push_back(principal_part(view, segment));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      add("alone" + std::to_string(i), {devices_[i]}, LaunchMode::graph, ExchangeMode::automatic,
          parts[i].view());
    }
    race(contestants_, rounds);
    print(size, matrix);
  }

 private:
  void add(const std::string& name, const std::vector<GpuPart>& devices, LaunchMode mode,
           ExchangeMode exchange, const CsrView<T>& matrix) {
    CudaPolicy policy;
    policy.launch_mode = mode;
    policy.exchange = exchange;
    CudaBackend backend(devices, policy);
    try {
      std::shared_ptr<PreparedSchedule<T>> prepared =
          backend.prepare(fused_cg_schedule(), matrix, Layout{});
      contestants_.push_back(
          {name,
           true,
           [prepared, matrix] {
             StopwatchOptions options;
             options.max_seconds = seconds_per_round;
             options.min_rounds = 3;
             return measure_iteration(*prepared, cg_slots(), matrix, options).median_seconds;
           },
           {}});
    } catch (const Error& error) {
      std::fprintf(stderr, "without %s: %s\n", name.c_str(), error.what());
    }
  }

  const Contestant* best_named(std::initializer_list<std::string_view> names) const {
    return fastest(contestants_, [&](const Contestant& who) {
      return std::ranges::find(names, who.name) != names.end();
    });
  }

  void print(std::int64_t size, const CsrMatrix<T>& matrix) const {
    const auto us = [&](const Contestant* who) {
      return who == nullptr ? 0.0 : 1e6 * median(who->seconds);
    };
    const Contestant* one = best_named({"graph", "persistent"});
    const Contestant* several = best_named({"halo", "peer", "staged"});
    double alone = 0;
    for (const Contestant& who : contestants_) {
      if (who.name.starts_with("alone")) alone = std::max(alone, us(&who));
    }
    const double halo = us(best_named({"halo"}));
    std::printf("%-12s %10lld %11lld %10.2f %-10s %10.2f %10.2f %10.2f %8.3f %10.2f %8.2f\n",
                ("27pt " + std::to_string(size) + "^3").c_str(),
                static_cast<long long>(matrix.rows), static_cast<long long>(matrix.nonzeros()),
                us(one), one->name.c_str(), halo, us(best_named({"peer"})),
                us(best_named({"staged"})), ratio(*one, *several).median_seconds, alone,
                halo - alone);
    std::fflush(stdout);
  }

  const std::vector<GpuPart> devices_;
  std::vector<Contestant> contestants_;
};

template <class T>
void run(const std::vector<GpuPart>& devices, const std::vector<std::int64_t>& sizes) {
  std::printf("%-12s %10s %11s %10s %-10s %10s %10s %10s %8s %10s %8s\n", "matrix", "unknowns",
              "nonzeros", "one us", "by", "halo us", "peer us", "staged us", "speedup", "alone us",
              "parallel");
  for (const std::int64_t size : sizes) Race<T>(devices).run(size);
}

std::vector<GpuPart> parse_devices(std::string_view text) {
  std::vector<GpuPart> devices;
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    devices.push_back(std::atoi(text.data() + at + 1));
  }
  return devices;
}

}  // namespace
}  // namespace sparsecast

int main(int argc, char** argv) {
  const std::string_view devices = argc > 1 ? argv[1] : "cuda:0,cuda:1";
  const std::string_view precision = argc > 2 ? argv[2] : "f64";
  std::vector<std::int64_t> sizes;
  for (int i = 3; i < argc; ++i) sizes.push_back(std::atoll(argv[i]));
  if (sizes.empty()) sizes = {40, 60, 80, 100, 160};
  try {
    const auto list = sparsecast::parse_devices(devices);
    std::printf("%s, %s\n", sparsecast::CudaBackend(list).description().c_str(),
                std::string(precision).c_str());
    if (precision == "f32") {
      sparsecast::run<float>(list, sizes);
    } else {
      sparsecast::run<double>(list, sizes);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
