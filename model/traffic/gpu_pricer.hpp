#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/launch_mode.hpp"
#include "model/traffic/gpu_product.hpp"
#include "model/traffic/priced_schedule.hpp"
#include "model/traffic/pricer.hpp"
#include "model/traffic/step_traffic.hpp"
#include "model/traffic/traffic_case.hpp"

/// @file
/// The traffic model of iterations whose steps are kernels of their own on a GPU.

namespace sparsecast {

/// What keys of the layout's products begin with: its name without the block size, which enters
/// the price as bytes and entries: "csr", "bcsr", "dia".
std::string product_key(const Layout& layout);

/// An entry of `TrafficProfile::layouts`: "f64/csr".
std::string layout_key(Precision precision, const Layout& layout);

/// Prices kernels that the host launches one by one, or as graphs.
class GpuPricer final : public Pricer {
 public:
  /// `launch` is neither `automatic` nor `persistent`. The schedule must outlive it.
  GpuPricer(const PricedSchedule& schedule, LaunchMode launch, const TrafficCase& segment,
            const GpuShape& gpu, Precision precision);

  TrafficPrice price(const TrafficParameters& parameters) const override;
  std::size_t part_count() const override { return step_count() + 1; }
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

  /// A step that runs in every iteration, and those like it.
  struct Kernel {
    const PricedSchedule::Kernel* scheduled = nullptr;
    BytesByKind bytes;  ///< `StepTraffic::bytes`
    /// Key among `TrafficParameters::products`: the layout's, or that of the format that its
    /// kernels are priced as, with what kind of kernel it is (`ProductGeometry`), or
    /// `library_product`; empty of other steps.
    std::string product{};
    /// Of a product of several kernels, or of one that ends with no sums, what each of `parts_`
    /// moves; and, where a kernel behind them sums, what that does.
    std::vector<StepTraffic> parts{};
    std::optional<StepTraffic> sums{};
    bool grid_strides = false;  ///< `takes_grid_strides`

    const Step& step() const { return *scheduled->step; }
  };

  /// Bytes of a step's arrays, and what of them memory moves.
  struct Streams {
    double bytes = 0;
    double written = 0;  ///< of these
    double reads = 0;    ///< from memory
    double writes = 0;   ///< to memory
    double missed_share() const;
    /// So many arrays of these bytes each, one after the other.
    void add_read(double array_bytes, double missed_share, int arrays);
    void add_write(double array_bytes, double missed_share, int arrays);
  };

  /// A product by our kernels.
  static bool is_ours(const Kernel& kernel);

  /// What kernels have in common that are priced with the same parameters.
  class Pricing {
   public:
    /// Both must outlive it.
    Pricing(const GpuPricer& pricer, const TrafficParameters& parameters);

    const TrafficParameters& parameters() const { return parameters_; }
    const DeviceCosts& device() const { return parameters_.device; }

    /// Share of what is touched again after one of `SteadySizes::distances` that the cache no
    /// longer has.
    double missed(std::size_t distance);
    Streams streams_of(const Kernel& kernel);
    Streams streams_of(const StepTraffic& traffic) const;

    /// What is known to be left of products like this one, of ours; nothing: of other kernels, and
    /// where there is no residual. Products of a schedule differ in little but what they miss.
    std::optional<KnownResidual> residual(const Kernel& kernel, double missed_share);

   private:
    struct Section {
      bool with_sums = false;
      double vector_bytes = 0;
      ResidualSection residual;
    };
    const GpuPricer& pricer_;
    const TrafficParameters& parameters_;
    std::vector<double> missed_;  ///< by distance; negative: not asked for yet
    /// Looked up when it is asked for first; null: there is none.
    std::optional<const Residual*> residual_;
    std::vector<Section> sections_;
  };

  Traits traits_of(const Kernel& kernel, double missed_share) const;
  /// Of the multiplied vector.
  double gathered_bytes_of(const Kernel& kernel) const;
  std::size_t step_count() const { return schedule_.kernel_of_step().size(); }
  const Kernel& kernel_of(std::size_t step) const {
    return kernels_[schedule_.kernel_of_step()[step]];
  }
  Traits traits_of(const TrafficPrice& price) const;
  /// Whether iterations like this one are learned from: graphs, with all that they cost known.
  bool is_iteration(const TrafficParameters& parameters) const;
  /// Null: nothing is known.
  static const Residual* residual_of_group(const std::string& group,
                                           const TrafficParameters& parameters);
  /// Without what is left of iterations.
  TrafficPrice price_of_terms(const TrafficParameters& parameters) const;
  /// What each kernel of a product moves, one after the other.
  void split_traffic(Kernel& kernel) const;
  StepPrice price_kernel(const Kernel& kernel, Pricing& pricing) const;
  /// Without what is left of products. `part`: the kernel of a product of ours; null: of another.
  StepPrice price_terms(const Kernel& kernel, const Streams& streams, const Part* part,
                        bool with_sums, Pricing& pricing) const;
  /// The same of all kernels of a product, and of one behind them that sums.
  StepPrice price_parts(const Kernel& kernel, Pricing& pricing) const;
  /// Adds to a price what gathering the vector takes; returns bytes that it reads from memory.
  double add_gathers(const Kernel& kernel, const Part* part, const Streams& streams,
                     Pricing& pricing, StepPrice& price) const;
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
  /// The group of parameters of kernels on vectors that its price depends on; empty: none.
  std::string_view vector_group(const Kernel& kernel) const;
  /// Whether it depends on this one of products.
  bool has_product_group(const Kernel& kernel, std::string_view group) const;

  const PricedSchedule& schedule_;
  LaunchMode launch_;
  TrafficCase segment_;
  GpuShape gpu_;
  Precision precision_;
  GpuProduct product_;       ///< of all kernels together
  std::vector<Part> parts_;  ///< one for each kernel of a product of ours
  SteadySizes sizes_;
  std::vector<Kernel> kernels_;  ///< of each kind one, as `PricedSchedule::kernels`
  bool has_passes_ = false;      ///< a schedule of the user's own
  bool has_products_ = false;
  int launches_ = 0;          ///< of an iteration
  int sums_ = 0;              ///< kernels that end with sums
  int skipped_ = 0;           ///< kernels whose guards are closed
  double skipped_bytes_ = 0;  ///< that they would move
};

}  // namespace sparsecast
