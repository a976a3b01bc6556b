#include "predict/features/predict_features.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/persistent_cut.hpp"
#include "core/analysis/persistent_execution.hpp"
#include "core/analysis/stored_pattern.hpp"
#include "core/base/error.hpp"
#include "core/formats/for_comparisons.hpp"
#include "core/formats/registry.hpp"
#include "core/workload/cuda_policy.hpp"
#include "predict/features/features_file.hpp"
#include "predict/forecast/predictor.hpp"
#include "predict/forecast/requested_forecasts.hpp"
#include "predict/forecast/traffic/traffic_case.hpp"

namespace sparsecast {
namespace {

std::string list_of(const std::vector<int>& devices) {
  std::string text;
  for (const int count : devices) text += (text.empty() ? "" : ",") + std::to_string(count);
  return text;
}

/// Answers what forecasts ask of a matrix.
class CountedMatrix {
 public:
  CountedMatrix(const ForecastFeatures& features, const DeviceProfile& profile, Precision precision)
      : features_(features), profile_(profile), precision_(precision) {}

  /// Throws `Error` where the matrix is not cut for one of these numbers of devices.
  void require(const std::vector<int>& devices) const {
    std::vector<int> wanted = features_.devices;
    for (const int count : devices) {
      if (count > 1 && std::ranges::count(wanted, count) == 0) wanted.push_back(count);
    }
    if (wanted.size() == features_.devices.size()) return;
    std::ranges::sort(wanted);
    std::vector<int> there{1};
    there.insert(there.end(), features_.devices.begin(), features_.devices.end());
    throw Error(features_.source + ": is for " + list_of(there) +
                (there.size() == 1 ? " device" : " devices") + ", not " + list_of(devices) +
                "; count the matrix again where it is: " +
                how_to_count(" --for-devices " + list_of(wanted),
                             ", profiles, devices=[" + list_of(wanted) + ']'));
  }

  std::string unknown(const Layout& layout) const {
    if (features_.find(layout) != nullptr) return "";
    return "layout " + to_string(layout) + ": " + features_.source +
           " has no counts of it; give the matrix itself" +
           (is_for_comparisons(layout) ? "" : ", or write the file again with this version");
  }

  std::vector<PatternNumbers> numbers(const Layout& layout, int devices) const {
    if (devices == 1) return {features_.features.numbers(layout.format)};
    return counted(layout).partitions.at(devices).numbers;
  }

  std::vector<SegmentShape> shapes(const Layout& layout, int devices) const {
    std::vector<SegmentShape> shapes;
    for (const PatternNumbers& segment : numbers(layout, devices)) {
      shapes.push_back(format_of(layout).shape(segment, layout));
    }
    return shapes;
  }

  TrafficCase traffic(const Layout& layout) const {
    if (const int threads = profile_.traffic->cpu_threads; threads > 0) {
      return cpu_traffic_case(features_.features, features_.access, layout, precision_, threads);
    }
    TrafficCase one;
    one.layout = layout;
    one.shape = cuda_shape(features_.features, features_.access, layout, policy_);
    one.pattern = stored_pattern(features_.access, one.shape, layout, precision_);
    one.execution.product = product(counted(layout).products, one.shape, layout);
    one.geometry = product_geometry(one.shape, layout, precision_, one.execution.product);
    one.parts = product_parts(one.shape, one.pattern, layout, precision_, one.execution.product);
    return one;
  }

  std::vector<SegmentWork> work(const Layout& layout, int devices, ExchangeMode mode) const {
    std::vector<SegmentWork> all;
    for (const SegmentCounts& segment : counted(layout).partitions.at(devices).segments) {
      if (profile_.traffic->cpu_threads > 0) {
        all.push_back(cpu_segment(segment, layout, precision_));
        continue;
      }
      const SegmentShape shape = stored_shape(segment, layout, policy_);
      all.push_back(segment_work(segment, layout, precision_, policy_, mode,
                                 product(segment.products, shape, layout)));
    }
    return all;
  }

  /// Counted for fused conjugate gradients; what other solvers keep is estimated from that.
  PersistentExecution persistent(const Layout& layout, const PersistentNeeds& needs) const {
    const int n = persistent_block_size(layout.block_size);
    const SegmentShape segment = persistent_segment(features_.features, n);
    if (const auto known = persistent_by_size(segment, n, precision_, gpu(), policy_, needs)) {
      return *known;
    }
    const auto found =
        std::ranges::find_if(features_.persistent, [&](const CountedPersistent& kernel) {
          return kernel.gpu == gpu() && kernel.precision == precision_ &&
                 kernel.execution.block_size == n;
        });
    if (found == features_.persistent.end()) {
      // Not counted where there is none by the size alone.
      const auto known = persistent_by_size(segment, n, precision_, gpu(), policy_);
      if (known) return *known;
      refuse_gpu();
    }
    if (needs == PersistentNeeds{}) return found->execution;
    return with_needs(found->execution, segment, needs);
  }

 private:
  PersistentExecution with_needs(const PersistentExecution& counted, const SegmentShape& segment,
                                 const PersistentNeeds& needs) const {
    if (!counted.fits) return counted;
    const int n = counted.block_size;
    PersistentNumbers numbers;
    numbers.halo = counted.halo / n;
    numbers.steps = counted.steps;
    const PersistentCut cut =
        estimate_persistent_cut(segment, n, persistent_shape(segment, gpu(), policy_, needs),
                                static_cast<int>(bytes_per_value(precision_)), numbers, needs);
    PersistentExecution execution = persistent_execution(
        cut, segment, static_cast<int>(bytes_per_value(precision_)), gpu(), policy_);
    if (!execution.fits) return execution;
    execution.balanced = counted.balanced;
    execution.most_steps = counted.most_steps;
    execution.halo = counted.halo;
    execution.largest_halo = counted.largest_halo;
    execution.most_halo_lines = counted.most_halo_lines;
    execution.most_moved_bytes = std::max(execution.most_moved_bytes, counted.most_moved_bytes);
    return execution;
  }

  const CountedLayout& counted(const Layout& layout) const {
    const CountedLayout* found = features_.find(layout);
    if (found == nullptr) throw Error(unknown(layout));
    return *found;
  }

  const GpuShape& gpu() const { return profile_.traffic->gpu; }

  [[noreturn]] void refuse_gpu() const {
    throw Error(features_.source + ": was not made for the GPU of profile '" + profile_.name +
                "', whose kernels work on the matrix in other parts; count the matrix again where "
                "it is, for this profile too: " +
                how_to_count(" --for P,Q", ", [P, Q]"));
  }

  SpmvExecution product(const std::map<Precision, std::vector<ProductCounts>>& products,
                        const SegmentShape& shape, const Layout& layout) const {
    const std::optional<SpmvExecution> known =
        counted_product(products.at(precision_), shape, layout, precision_, gpu(), policy_);
    if (!known) refuse_gpu();
    return *known;
  }

  const ForecastFeatures& features_;
  const DeviceProfile& profile_;
  Precision precision_;
  CudaPolicy policy_;
};

}  // namespace

std::vector<Prediction> predict_features(const ForecastFeatures& features,
                                         const DeviceProfile& profile,
                                         const PredictionRequest& request) {
  check_request(request, profile);
  const CountedMatrix matrix(features, profile, request.precision);
  matrix.require(request.devices);
  if (std::ranges::any_of(request.devices,
                          [&](int devices) { return profile.is_on_network(devices); })) {
    require_neighbours(features);
  }
  ForecastProblem problem;
  problem.unknowns = static_cast<double>(features.features.rows);
  problem.nonzeros = static_cast<double>(features.features.nonzeros);
  problem.renumbering = [&](int devices) { return renumbering_on(devices, features.renumbering); };
  problem.segments = [&](const Layout& layout, int devices) {
    return matrix.shapes(layout, devices);
  };
  problem.numbers = [&](const Layout& layout, int devices) {
    return matrix.numbers(layout, devices);
  };
  problem.traffic = [&](const Layout& layout) { return matrix.traffic(layout); };
  problem.persistent = [&](const Layout& layout, const PersistentNeeds& needs) {
    return matrix.persistent(layout, needs);
  };
  problem.work = [&](const Layout& layout, int devices, ExchangeMode mode) {
    return matrix.work(layout, devices, mode);
  };
  problem.unknown = [&](const Layout& layout) { return matrix.unknown(layout); };
  const SolverList solvers(request);
  Predictor predictor(std::move(problem), profile, request, solvers);
  if (profile.traffic) return predict_by_traffic(predictor, profile, request);
  return predict_by_curves(predictor, profile, request);
}

void require_neighbours(const ForecastFeatures& features) {
  for (const CountedLayout& counted : features.layouts) {
    for (const auto& [devices, partition] : counted.partitions) {
      if (std::ranges::all_of(partition.segments, [](const SegmentCounts& segment) {
            return segment.neighbours.has_value();
          })) {
        continue;
      }
      throw Error(features.source +
                  ": does not say which devices exchange with which, as forecasts over a network "
                  "need; count the matrix again where it is: " +
                  how_to_count(" --for-devices " + list_of(features.devices),
                               ", profiles, devices=[" + list_of(features.devices) + ']'));
    }
  }
}

}  // namespace sparsecast
