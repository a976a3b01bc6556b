#include "bench/cuda_spmv_race.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <type_traits>

#include "bench/cuda_race.hpp"
#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/vendor/vendor_spmv.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "tests/core/relative_difference.hpp"

namespace sparsecast {
namespace {

constexpr int rounds = 11;
constexpr double round_seconds = 4e-3;
/// After a first one, which loads kernels and takes memory from the system.
constexpr int conversions = 5;
constexpr int conversions_of_large = 2;
constexpr std::int64_t nonzeros_of_large = 10'000'000;

/// Of both signs; long vectors repeat themselves.
template <class T>
std::vector<T> random_values(std::int64_t size) {
  constexpr std::size_t period = 1'000'003;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> magnitude(0.5, 1.5);
  std::vector<T> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i >= period
                    ? values[i - period]
                    : static_cast<T>(random() % 2 == 0 ? magnitude(random) : -magnitude(random));
  }
  return values;
}

/// Seconds of one product, over so many of them that a round takes a while.
class TimedProducts {
 public:
  explicit TimedProducts(std::function<void(std::int64_t)> work) : work_(std::move(work)) {}

  double operator()() {
    if (repeats_ == 0) {
      work_(8);
      repeats_ = 8 * std::max<std::int64_t>(1, std::llround(round_seconds / seconds_of(8) / 8));
    }
    return seconds_of(repeats_) / static_cast<double>(repeats_);
  }

 private:
  double seconds_of(std::int64_t repeats) {
    const auto start = std::chrono::steady_clock::now();
    work_(repeats);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  std::function<void(std::int64_t)> work_;
  std::int64_t repeats_ = 0;
};

/// The contestants of one matrix, and what is known of each beside its time.
template <class T>
class ProductRace {
 public:
  ProductRace(const CsrView<T>& matrix, const GpuDevice& gpu)
      : matrix_(matrix), gpu_(gpu), input_(random_values<T>(matrix.columns)) {}

  void add_peer(VendorAlgorithm algorithm, int block_size) {
    auto product = std::make_shared<VendorSpmv<T>>(gpu_.index, matrix_, algorithm, block_size);
    product->set_input(input_);
    product->run(1);
    std::vector<T> output(static_cast<std::size_t>(matrix_.rows));
    product->get_output(output);
    std::string name(to_string(algorithm));
    if (block_size > 1) name += std::to_string(block_size);
    add(name, false, output, static_cast<double>(product->bytes_per_product()), {},
        [product](std::int64_t repeats) { product->run(repeats); });
  }

  void add_ours(int block_size) {
    CudaBackend backend(gpu_.index);
    std::shared_ptr<PreparedSchedule<T>> prepared;
    const auto prepare = [&] {
      prepared.reset();
      prepared = backend.prepare(single_step_schedule("SpMV"), matrix_, block_layout(block_size));
      return prepared->conversion_seconds();
    };
    ConversionTime conversion;
    conversion.first_seconds = prepare();
    std::vector<double> seconds;
    const int count = matrix_.nonzeros() < nonzeros_of_large ? conversions : conversions_of_large;
    while (std::ssize(seconds) < count) seconds.push_back(prepare());
    conversion.seconds = median(seconds);
    prepared->set_vector("v", input_);
    prepared->run(1);
    std::vector<T> output(static_cast<std::size_t>(matrix_.rows));
    prepared->get_vector("u", output);
    add(to_string(block_layout(block_size)), true, output, prepared->counters().bytes.total(),
        conversion, [prepared](std::int64_t repeats) { prepared->run(repeats); });
  }

  void run() { race(contestants_, rounds); }

  std::vector<MeasuredTime> times() const {
    std::vector<MeasuredTime> all;
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      const Timing timing = contestants_[i].timing();
      MeasuredTime time = facts_[i];
      time.seconds = timing.median_seconds;
      time.spread = timing.relative_spread;
      time.rounds = std::ssize(timing.round_seconds);
      all.push_back(time);
    }
    return all;
  }
  const std::vector<Contestant>& contestants() const { return contestants_; }

 private:
  void add(const std::string& name, bool ours, const std::vector<T>& output, double bytes,
           const ConversionTime& conversion, std::function<void(std::int64_t)> work) {
    if (expected_.empty()) expected_ = output;
    const double error = relative_difference(output, expected_);
    if (!(error < (sizeof(T) == 4 ? 1e-5 : 1e-13))) {
      throw Error(name + " differs from the first product by " + std::to_string(error));
    }
    contestants_.push_back({name, ours, TimedProducts(std::move(work)), {}});
    MeasuredTime facts;
    facts.name = name;
    facts.ours = ours;
    facts.bytes = bytes;
    facts.conversion = conversion;
    facts_.push_back(facts);
  }

  CsrView<T> matrix_;
  const GpuDevice& gpu_;
  std::vector<T> input_;
  std::vector<T> expected_;
  std::vector<Contestant> contestants_;
  std::vector<MeasuredTime> facts_;
};

MeasuredRatio measured(const Timing& timing) {
  return {timing.median_seconds, timing.relative_spread};
}

std::string cache_state(double bytes, std::int64_t l2_bytes) {
  const auto l2 = static_cast<double>(l2_bytes);
  return bytes < 0.8 * l2 ? "hot" : bytes > 2 * l2 ? "cold" : "mixed";
}

}  // namespace

template <class T>
void measure_streams(const GpuDevice& gpu, GpuResults& results) {
  constexpr std::int64_t unknowns = std::int64_t{1} << 26;
  CudaBackend backend(gpu.index);
  const auto values = random_values<T>(unknowns);
  const std::string precision(to_string(precision_of<T>()));
  for (const int count : {1, 8}) {
    for (const bool variable : {false, true}) {
      const Schedule schedule = load_schedule(count, variable);
      std::unique_ptr<PreparedSchedule<T>> prepared;
      if constexpr (std::is_same_v<T, float>) {
        prepared = backend.prepare_vectors_f32(schedule, unknowns);
      } else {
        prepared = backend.prepare_vectors_f64(schedule, unknowns);
      }
      for (int k = 1; k <= count; ++k) prepared->set_vector("load" + std::to_string(k), values);
      std::vector<Contestant> alone;
      TimedProducts loads([&](std::int64_t repeats) { prepared->run(repeats); });
      alone.push_back({"load", true, loads, {}});
      race(alone, rounds);
      const double bytes = static_cast<double>(unknowns) * count * sizeof(T);
      const double rate = bytes / alone[0].timing().median_seconds;
      results.streams.emplace_back(std::to_string(count) +
                                       (count == 1 ? " vector, " : " vectors, ") +
                                       (variable ? "variable" : "fixed") + " grid, " + precision,
                                   rate);
      double& best = results.stream[precision_of<T>()];
      best = std::max(best, rate);
    }
  }
}

template <class T>
SpmvResult race_products(const MeasuredCase& about, const CsrView<T>& matrix,
                         const GpuDevice& gpu) {
  SpmvResult result;
  result.about = about;
  result.csr_bytes = static_cast<double>(matrix.nonzeros()) * (4 + sizeof(T)) +
                     static_cast<double>(matrix.rows + 1) * 4 +
                     static_cast<double>(matrix.rows + matrix.columns) * sizeof(T);
  result.cache = cache_state(result.csr_bytes, gpu.l2_bytes);

  ProductRace<T> products(matrix, gpu);
  products.add_peer(VendorAlgorithm::csr_alg1, 1);
  products.add_peer(VendorAlgorithm::csr_alg2, 1);
  products.add_ours(1);
  const MatrixFeatures features = compute_features(matrix);
  for (const int block_size : block_sizes) {
    const BlockFeatures& blocks = features.block(block_size);
    const double block_bytes = static_cast<double>(blocks.block_elements) * sizeof(T) +
                               static_cast<double>(blocks.blocks) * 4;
    if (block_size == 1 ||
        block_bytes > 1.1 * static_cast<double>(matrix.nonzeros()) * (4 + sizeof(T))) {
      continue;
    }
    products.add_ours(block_size);
    products.add_peer(VendorAlgorithm::bsr, block_size);
    products.add_peer(VendorAlgorithm::bsrmv, block_size);
  }
  products.run();

  const auto& all = products.contestants();
  const Contestant* const ours = fastest(all, [](const Contestant& who) { return who.ours; });
  const Contestant* const peer = fastest(all, [](const Contestant& who) { return !who.ours; });
  const Contestant* const in_3 =
      fastest(all, [](const Contestant& who) { return who.name == "bcsr3"; });
  result.times = products.times();
  result.best_ours = ours->name;
  result.best_peer = peer->name;
  result.ratio = measured(ratio(*peer, *ours));
  if (in_3 != nullptr) result.ratio_of_3 = measured(ratio(*peer, *in_3));
  return result;
}

template void measure_streams<float>(const GpuDevice&, GpuResults&);
template void measure_streams<double>(const GpuDevice&, GpuResults&);
template SpmvResult race_products(const MeasuredCase&, const CsrView<float>&, const GpuDevice&);
template SpmvResult race_products(const MeasuredCase&, const CsrView<double>&, const GpuDevice&);

}  // namespace sparsecast
