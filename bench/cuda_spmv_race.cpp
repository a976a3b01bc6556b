#include "bench/cuda_spmv_race.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>

#include "bench/cuda_race.hpp"
#include "bench/read_stream.hpp"
#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/vendor/vendor_spmv.hpp"
#include "core/formats/registry.hpp"
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
      const double first = seconds_of(8);
      if (first > 25 * round_seconds) {
        repeats_ = 8;
        return first / 8;
      }
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

/// The contestants of one matrix in some orders, and what is known of each beside its time.
template <class T>
class ProductRace {
 public:
  ProductRace(const MeasuredCase& about, std::span<const OrderedMatrix<T>> orders,
              const GpuDevice& gpu, std::vector<std::string>& failures)
      : about_(about),
        orders_(orders),
        gpu_(gpu),
        failures_(failures),
        input_(random_values<T>(orders[0].matrix.columns)),
        first_(orders.size()) {}

  void add_peer(std::size_t order, VendorAlgorithm algorithm, int block_size) {
    const CsrView<T>& matrix = orders_[order].matrix;
    std::string name(to_string(algorithm));
    if (block_size > 1) name += std::to_string(block_size);
    admit(order, name, [&] {
      auto product = std::make_shared<VendorSpmv<T>>(gpu_.index, matrix, algorithm, block_size);
      product->set_input(input_);
      product->run(1);
      std::vector<T> output(static_cast<std::size_t>(matrix.rows));
      product->get_output(output);
      add(order, name, false, output, static_cast<double>(product->bytes_per_product()), {},
          [product](std::int64_t repeats) { product->run(repeats); });
    });
  }

  void add_ours(std::size_t order, const Layout& layout) {
    const CsrView<T>& matrix = orders_[order].matrix;
    const std::string name = to_string(layout);
    admit(order, name, [&] {
      CudaBackend backend(gpu_.index);
      std::shared_ptr<PreparedSchedule<T>> prepared;
      const auto prepare = [&] {
        prepared.reset();
        prepared = backend.prepare(single_step_schedule("SpMV"), matrix, layout);
        return prepared->conversion_seconds();
      };
      ConversionTime conversion;
      conversion.first_seconds = prepare();
      std::vector<double> seconds;
      const int count = matrix.nonzeros() < nonzeros_of_large ? conversions : conversions_of_large;
      while (std::ssize(seconds) < count) seconds.push_back(prepare());
      conversion.seconds = median(seconds);
      prepared->set_vector("v", input_);
      prepared->run(1);
      std::vector<T> output(static_cast<std::size_t>(matrix.rows));
      prepared->get_vector("u", output);
      add(order, name, true, output, prepared->counters().bytes.total(), conversion,
          [prepared](std::int64_t repeats) { prepared->run(repeats); });
    });
  }

  void run() {
    constexpr double within = 1.3;
    race(contestants_, rounds, within, [](const Contestant&) { return false; });
  }

  std::vector<MeasuredTime> times() const {
    std::vector<MeasuredTime> all;
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      MeasuredTime time = facts_[i];
      time.set(contestants_[i].timing());
      all.push_back(time);
    }
    return all;
  }
  const std::vector<Contestant>& contestants() const { return contestants_; }

 private:
  /// What somebody refuses, or has no memory for, is left out.
  template <class Make>
  void admit(std::size_t order, const std::string& name, const Make& make) {
    try {
      make();
    } catch (const Error& error) {
      std::fprintf(stderr, "without %s (%s): %s\n", name.c_str(), orders_[order].order.c_str(),
                   error.what());
    }
  }

  /// What others are compared with.
  struct FirstProduct {
    std::string name;
    std::vector<T> output;
    double tolerance = 0;  ///< sums of many terms in another order differ by more
  };

  FirstProduct first_product(std::size_t order, const std::string& name,
                             const std::vector<T>& output) const {
    const CsrView<T>& matrix = orders_[order].matrix;
    std::int64_t longest = 1;
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      longest =
          std::max<std::int64_t>(longest, matrix.row_offsets[row + 1] - matrix.row_offsets[row]);
    }
    return {name, output,
            (sizeof(T) == 4 ? 1e-5 : 1e-13) *
                std::max(1.0, std::sqrt(static_cast<double>(longest)) / 100)};
  }

  void add(std::size_t order, const std::string& name, bool ours, const std::vector<T>& output,
           double bytes, const ConversionTime& conversion, std::function<void(std::int64_t)> work) {
    FirstProduct& first = first_[order];
    if (first.name.empty()) first = first_product(order, name, output);
    const double error = relative_difference(output, first.output);
    if (!(error < first.tolerance)) {
      failures_.push_back(about_.text() + ", " + orders_[order].order + ": product of " + name +
                          " differs from that of " + first.name + " by " + std::to_string(error));
      return;
    }
    contestants_.push_back({name, ours, TimedProducts(std::move(work)), {}, order});
    MeasuredTime facts;
    facts.name = name;
    facts.order = orders_[order].order;
    facts.ours = ours;
    facts.bytes = bytes;
    facts.conversion = conversion;
    facts_.push_back(facts);
  }

  const MeasuredCase& about_;
  std::span<const OrderedMatrix<T>> orders_;
  const GpuDevice& gpu_;
  std::vector<std::string>& failures_;
  std::vector<T> input_;
  std::vector<FirstProduct> first_;
  std::vector<Contestant> contestants_;
  std::vector<MeasuredTime> facts_;
};

/// 32-byte sectors of the vector that 32 lanes gather together, an entry: of neighbouring entries
/// of the stored order, or of the entries at one place of 32 neighbouring rows, whichever is fewer.
template <class T>
double sectors_an_entry(const CsrView<T>& matrix) {
  constexpr std::int64_t lanes = 32;
  constexpr auto values_of_sector = static_cast<std::int32_t>(32 / sizeof(T));
  const std::int64_t nonzeros = matrix.nonzeros();
  std::vector<std::int32_t> together;
  const auto sectors_together = [&] {
    std::ranges::sort(together);
    const auto count = std::unique(together.begin(), together.end()) - together.begin();
    together.clear();
    return static_cast<double>(count);
  };
  const auto add = [&](std::int64_t k) {
    together.push_back(matrix.column_indices[static_cast<std::size_t>(k)] / values_of_sector);
  };
  double of_entries = 0;
  for (std::int64_t first = 0; first < nonzeros; first += lanes) {
    for (std::int64_t k = first; k < std::min(first + lanes, nonzeros); ++k) add(k);
    of_entries += sectors_together();
  }
  double of_rows = 0;
  for (std::int64_t first = 0; first < matrix.rows; first += lanes) {
    for (std::int64_t place = 0;; ++place) {
      for (std::int64_t row = first; row < std::min(first + lanes, matrix.rows); ++row) {
        const std::int64_t k = matrix.row_offsets[static_cast<std::size_t>(row)] + place;
        if (k < matrix.row_offsets[static_cast<std::size_t>(row) + 1]) add(k);
      }
      if (together.empty()) break;
      of_rows += sectors_together();
    }
  }
  return std::min(of_entries, of_rows) / static_cast<double>(std::max<std::int64_t>(1, nonzeros));
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
      const auto prepared = prepare_vectors<T>(backend, schedule, unknowns);
      for (int k = 1; k <= count; ++k) prepared->set_vector("load" + std::to_string(k), values);
      std::vector<Contestant> alone;
      TimedProducts loads([&](std::int64_t repeats) { prepared->run(repeats); });
      alone.push_back({"load", true, loads});
      race(alone, rounds);
      const double bytes = static_cast<double>(unknowns) * count * sizeof(T);
      const double rate = bytes / alone[0].timing().median_seconds;
      results.streams.emplace_back(std::to_string(count) +
                                       (count == 1 ? " vector, " : " vectors, ") +
                                       (variable ? "variable" : "fixed") + " grid, " + precision,
                                   rate);
    }
  }
}

template <class T>
SpmvResult race_products(const MeasuredCase& about, std::span<const OrderedMatrix<T>> orders,
                         const GpuDevice& gpu, std::vector<std::string>& failures) {
  const CsrView<T>& matrix = orders[0].matrix;
  SpmvResult result;
  result.about = about;
  result.csr_bytes = static_cast<double>(matrix.nonzeros()) * (4 + sizeof(T)) +
                     static_cast<double>(matrix.rows + 1) * 4 +
                     static_cast<double>(matrix.rows + matrix.columns) * sizeof(T);
  result.cache = cache_state(result.csr_bytes, gpu.l2_bytes);
  result.above_l2 = result.csr_bytes > static_cast<double>(gpu.l2_bytes);
  if (about.kind == GpuCase::Kind::scalar_elements) {
    result.sectors_an_entry = sectors_an_entry(matrix);
  }

  ProductRace<T> products(about, orders, gpu, failures);
  for (std::size_t order = 0; order < orders.size(); ++order) {
    const CsrView<T>& ordered = orders[order].matrix;
    for (const VendorAlgorithm algorithm :
         {VendorAlgorithm::csr_alg1, VendorAlgorithm::csr_alg2, VendorAlgorithm::coo_alg1,
          VendorAlgorithm::coo_alg2, VendorAlgorithm::sell}) {
      products.add_peer(order, algorithm, 1);
    }
    const MatrixFeatures features = compute_features(ordered);
    for (const int block_size : block_sizes) {
      const BlockFeatures& blocks = features.block(block_size);
      const double block_bytes = static_cast<double>(blocks.block_elements) * sizeof(T) +
                                 static_cast<double>(blocks.blocks) * 4;
      if (block_size == 1 ||
          block_bytes > 1.1 * static_cast<double>(matrix.nonzeros()) * (4 + sizeof(T))) {
        continue;
      }
      products.add_peer(order, VendorAlgorithm::bsr, block_size);
      products.add_peer(order, VendorAlgorithm::bsrmv, block_size);
    }
    for (const Layout& layout : usual_layouts()) {
      if (may_pay(features.numbers(layout.format), layout)) products.add_ours(order, layout);
    }
  }
  products.run();

  const auto& all = products.contestants();
  const auto best = [&](bool ours, bool renumbered) {
    return fastest(all, [&](const Contestant& who) {
      return who.ours == ours && (renumbered || who.order == 0);
    });
  };
  const Contestant* const ours = best(true, false);
  const Contestant* const peer = best(false, false);
  if (ours == nullptr || peer == nullptr) throw Error("nobody stores it");
  result.times = products.times();
  result.best_ours = ours->name;
  result.best_peer = peer->name;
  result.ratio = MeasuredRatio(ratio(*peer, *ours));
  result.any_order = result.ratio;
  if (orders.size() > 1) {
    const Contestant* const ours_in_any = best(true, true);
    result.any_order = MeasuredRatio(ratio(*best(false, true), *ours_in_any));
    result.best_order = orders[ours_in_any->order].order;
    result.best_in_any_order = ours_in_any->name;
  }
  double fewest = result.time(result.best_ours).bytes;
  for (const MeasuredTime& time : result.times) {
    if (time.ours && time.order == orders[0].order) fewest = std::min(fewest, time.bytes);
  }
  if (result.csr_bytes > fewest_streaming_bytes) {
    CudaBackend backend(gpu.index);
    StopwatchOptions options;
    options.max_seconds = 0.1;
    const double stream = read_stream<T>(backend, fewest, options);
    if (stream > 0) {
      result.of_stream = fewest / median(ours->seconds) / stream;
    }
  }
  for (std::size_t order = 0; order < orders.size(); ++order) {
    const Contestant* const fastest_of_ours =
        fastest(all, [&](const Contestant& who) { return who.ours && who.order == order; });
    result.layouts.push_back(fastest_of_ours != nullptr ? fastest_of_ours->name : "csr");
  }
  return result;
}

template void measure_streams<float>(const GpuDevice&, GpuResults&);
template void measure_streams<double>(const GpuDevice&, GpuResults&);
template SpmvResult race_products(const MeasuredCase&, std::span<const OrderedMatrix<float>>,
                                  const GpuDevice&, std::vector<std::string>&);
template SpmvResult race_products(const MeasuredCase&, std::span<const OrderedMatrix<double>>,
                                  const GpuDevice&, std::vector<std::string>&);

}  // namespace sparsecast
