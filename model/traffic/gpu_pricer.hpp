#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/launch_mode.hpp"
#include "model/traffic/gpu_product.hpp"
#include "model/traffic/pass_counts.hpp"
#include "model/traffic/pricer.hpp"
#include "model/traffic/step_traffic.hpp"
#include "model/traffic/traffic_case.hpp"

/// @file
/// The traffic model of iterations whose steps are kernels of their own on a GPU.

namespace sparsecast {

/// The kind of a step's kernel on vectors, its key among `TrafficParameters::kernels`.
std::string_view kernel_key(const Step& step);

/// What keys of the layout's products begin with: its name without the block size, which enters
/// the price as bytes and entries: "csr", "bcsr", "dia".
std::string product_key(const Layout& layout);

/// An entry of `TrafficProfile::layouts`: "f64/csr".
std::string layout_key(Precision precision, const Layout& layout);

/// The key of a step's product among `TrafficParameters::products`: the layout's, or that of the
/// format that its kernels are priced as, with what kind of kernel it is (`ProductGeometry`), or
/// `library_product`. Empty for other steps.
std::string product_key(const Step& step, const Layout& layout, const ProductGeometry& geometry);

/// Prices kernels that the host launches one by one, or as graphs.
class GpuPricer final : public Pricer {
 public:
  /// `launch` is neither `automatic` nor `persistent`. The schedule must outlive it.
  GpuPricer(const Schedule& schedule, LaunchMode launch, const TrafficCase& segment,
            const GpuShape& gpu, Precision precision);

  TrafficPrice price(const TrafficParameters& parameters) const override;
  std::size_t part_count() const override { return kernels_.size() + 1; }
  double part_seconds(std::size_t part, const TrafficParameters& parameters) const override;
  bool part_depends_on(std::size_t part, std::string_view parameter) const override;
  std::vector<std::string> parameter_groups() const override;
  std::optional<Traits> product_traits(const TrafficParameters& parameters) const override;
  std::optional<Traits> iteration_traits(const TrafficParameters& parameters) const override;

 private:
  /// A kernel of a product of ours.
  struct Part {
    std::string key;  ///< among `TrafficParameters::products`
    SegmentShape shape;
    AccessPattern pattern;
    SpmvExecution execution;
    GpuProduct product;
    int launches = 0;  ///< behind it, that touch few values
  };

  /// A step that runs in every iteration.
  struct Kernel {
    const Step* step = nullptr;
    StepTraffic traffic;
    std::string product;     ///< key, or empty; then
    std::string_view key{};  ///< `kernel_key`
    double vectors = 0;      ///< of a pass, that cost `KernelCosts::vector_seconds` each
    /// Of a product of several kernels, or of one that ends with no sums, what each of `parts_`
    /// moves; and, where a kernel behind them sums, what that does.
    std::vector<StepTraffic> parts{};
    std::optional<StepTraffic> sums{};
  };

  /// Bytes of a step's arrays, and what of them memory moves.
  struct Streams {
    double bytes = 0;
    double written = 0;  ///< of these
    double reads = 0;    ///< from memory
    double writes = 0;   ///< to memory
    double missed_share() const;
  };
  static Streams streams_of(const StepTraffic& traffic, const DeviceCosts& device);

  /// A product by our kernels.
  static bool is_ours(const Kernel& kernel);
  Traits traits_of(const Kernel& kernel, double missed_share) const;
  Traits traits_of(const TrafficPrice& price) const;
  /// Whether iterations like this one are learned from: graphs, with all that they cost known.
  bool is_iteration(const TrafficParameters& parameters) const;
  /// What is known to be left of products like this one; null: nothing.
  const Residual* residual_of(const Kernel& kernel, const TrafficParameters& parameters) const;
  static const Residual* residual_of_group(const std::string& group,
                                           const TrafficParameters& parameters);
  /// Without what is left of iterations.
  TrafficPrice price_of_terms(const TrafficParameters& parameters) const;
  /// What each kernel of a product moves, one after the other.
  void split_traffic(Kernel& kernel) const;
  StepPrice price_kernel(const Kernel& kernel, const TrafficParameters& parameters) const;
  /// Without what is left of products. `part`: the kernel of a product of ours; null: of another.
  StepPrice price_terms(const Kernel& kernel, const StepTraffic& traffic, const Part* part,
                        bool with_sums, const TrafficParameters& parameters) const;
  /// The same of all kernels of a product, and of one behind them that sums.
  StepPrice price_parts(const Kernel& kernel, const TrafficParameters& parameters) const;
  /// Adds to a price what gathering the vector takes; returns bytes that it reads from memory.
  double add_gathers(const StepTraffic& traffic, const Part* part, const Streams& streams,
                     const DeviceCosts& device, StepPrice& price) const;
  /// Adds what a product takes beside its streams and gathers; returns how the parts of its price
  /// overlap.
  double add_product(const Part& part, bool with_sums, const ProductCosts& costs,
                     const Streams& streams, const DeviceCosts& device, StepPrice& price) const;
  /// The same of the library's.
  double add_library_product(const ProductCosts& costs, const Streams& streams,
                             const DeviceCosts& device, StepPrice& price) const;
  /// The same of a kernel on vectors, of a kind.
  void add_vectors(std::string_view key, double vectors, bool with_sums, const KernelCosts& costs,
                   const Streams& streams, const DeviceCosts& device, StepPrice& price) const;
  double launch_seconds(const TrafficParameters& parameters) const;
  /// Of an iteration with passes, by graph.
  double pass_seconds(const TrafficParameters& parameters) const;
  /// Whether that depends on `PassCosts`.
  bool has_pass_costs() const;
  /// Launches beside the first, of a product of several kernels.
  int further_launches(const Kernel& kernel) const;
  /// Of kernels on vectors, and of products.
  std::set<std::string> vector_groups(const Kernel& kernel) const;
  std::set<std::string> product_groups(const Kernel& kernel) const;

  LaunchMode launch_;
  TrafficCase segment_;
  GpuShape gpu_;
  Precision precision_;
  GpuProduct product_;       ///< of all kernels together
  std::vector<Part> parts_;  ///< one for each kernel of a product of ours
  std::vector<Kernel> kernels_;
  bool has_passes_ = false;  ///< a schedule of the user's own
  bool has_products_ = false;
  PassCounts counts_;         ///< of iterations of passes
  int launches_ = 0;          ///< of an iteration
  int sums_ = 0;              ///< kernels that end with sums
  int waits_ = 0;             ///< of a host in charge for them
  int skipped_ = 0;           ///< kernels whose guards are closed
  double skipped_bytes_ = 0;  ///< that they would move
};

}  // namespace sparsecast
