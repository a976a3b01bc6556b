#include "model/paper/iteration_time.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "core/base/error.hpp"
#include "model/step_kinds.hpp"
#include "model/working_set.hpp"

namespace sparsecast {

std::string_view to_string(CurveKind curve) {
  return curve == CurveKind::average ? "average" : "maximum";
}

namespace {

std::string short_text(double elements) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g", elements);
  return text.data();
}

/// Adds a sentence if m lies outside the range in which the curve was measured.
void add_range_warning(const std::string& key, const KernelCurve& curve, double elements,
                       std::vector<std::string>& warnings) {
  if (!curve.quality) return;
  const FitQuality& quality = *curve.quality;
  const bool below = elements < quality.elements_min;
  const bool above = elements > quality.elements_max;
  if (!below && !above) return;
  std::string warning = key + ": " + short_text(elements) + " transferred elements lie " +
                        (below ? "below" : "above") + " the calibrated range, " +
                        short_text(quality.elements_min) + " to " +
                        short_text(quality.elements_max);
  if (std::ranges::find(warnings, warning) == warnings.end()) {
    warnings.push_back(std::move(warning));
  }
}

}  // namespace

IterationPricer::IterationPricer(const Schedule& schedule, int devices,
                                 const DeviceProfile& profile, Precision precision,
                                 const std::string& layout, CurveKind curve)
    : devices_(devices),
      bytes_per_value_(static_cast<double>(bytes_per_value(precision))),
      curve_(curve),
      cache_(profile.cache ? &*profile.cache : nullptr) {
  for (double SegmentShape::*size :
       {&SegmentShape::unknowns, &SegmentShape::total_unknowns, &SegmentShape::elements,
        &SegmentShape::blocks, &SegmentShape::block_rows}) {
    SegmentShape one;
    one.*size = 1;
    working_set_bytes_per_.*size = working_set_bytes(schedule, one, precision);
  }
  if (devices < 1) throw Error("price of an iteration: no devices; expected 1 or more");
  if (devices > 1) {
    link_ = &profile.link(devices);
    if (!profile.links.contains(devices)) {
      extrapolation_ = "extrapolated: profile '" + profile.name + "' has no link of " +
                       std::to_string(devices) +
                       " devices; the one of the nearest number stands for it";
    }
  }
  for (const Step& step : schedule.iteration) {
    const double charged = step.charged_per_iteration;
    switch (step.kind) {
      case StepKind::kernel:
      case StepKind::reduce: {
        const bool multiplies = step.name == "SpMV" || step.name == "SpMVDot";
        KernelTerm term;
        term.key = multiplies ? product_curve_key(step.name, layout) : step.name;
        // Where a product with a sum was not measured, the product stands for it.
        if (multiplies && !profile.at(precision).curves.contains(term.key)) {
          term.key = spmv_curve_key(layout);
        }
        term.part = step.kind == StepKind::reduce ? &TimeParts::reductions
                    : multiplies                  ? &TimeParts::spmv
                                                  : &TimeParts::vector_kernels;
        if (charged > 0) term.curve = &profile.curve(precision, term.key);
        term.elements = step.elements;
        term.flops = step.flops;
        term.charged = charged;
        kernels_.push_back(std::move(term));
        if (sums(step)) synchronisations_charged_ += charged;
        break;
      }
      case StepKind::exchange:
        exchanges_charged_ += charged;
        exchanged_per_total_unknown_ = step.traffic.exchanged_per_total_unknown;
        synchronisations_charged_ += charged;
        break;
      case StepKind::barrier:
        synchronisations_charged_ += charged;
        break;
      case StepKind::host_scalar:
      case StepKind::check:
        break;  // the paper charges nothing for them
    }
  }
}

const ThroughputCurve& IterationPricer::chosen(const KernelCurve& curve) const {
  return curve_ == CurveKind::average ? curve.average : curve.maximum;
}

double IterationPricer::missing_share_of(const SegmentShape& segment) const {
  if (cache_ == nullptr) return 0;
  // Groups on one bus share the cache too.
  const double sharers = link_ != nullptr && link_->shared_bus ? devices_ : 1;
  const SegmentShape& per = working_set_bytes_per_;
  const double bytes = per.unknowns * segment.unknowns +
                       per.total_unknowns * segment.total_unknowns +
                       per.elements * segment.elements + per.blocks * segment.blocks +
                       per.block_rows * segment.block_rows;
  return missing_share(*cache_, sharers * bytes);
}

double IterationPricer::kernel_elements(const KernelTerm& term, const SegmentShape& segment) const {
  // Groups that share a bus get B(n*m)/n each: a group takes as long as for n times its elements.
  const double sharers = link_ != nullptr && link_->shared_bus ? devices_ : 1;
  return sharers * evaluate(term.elements, segment);
}

double IterationPricer::exchanged_elements(const SegmentShape& segment) const {
  const double vector = exchanged_per_total_unknown_ * segment.total_unknowns;
  switch (link_->law) {
    case ExchangeLaw::staged:
      return vector * devices_;
    case ExchangeLaw::peer:
      break;
    case ExchangeLaw::ingress:
      return vector * (devices_ - 1) / devices_;
  }
  return vector;
}

TimeParts IterationPricer::parts(std::span<const SegmentShape> segments) const {
  if (segments.size() != static_cast<std::size_t>(devices_)) {
    throw Error("price of an iteration: " + std::to_string(segments.size()) + " segments for " +
                std::to_string(devices_) + " devices; expected one a device");
  }
  TimeParts slowest;
  for (const SegmentShape& segment : segments) {
    TimeParts computing;
    const double missing = missing_share_of(segment);
    for (const KernelTerm& term : kernels_) {
      if (term.curve == nullptr) continue;
      computing.*term.part +=
          term.charged * kernel_seconds(chosen(*term.curve), kernel_elements(term, segment),
                                        bytes_per_value_, missing);
    }
    if (computing.total() > slowest.total()) slowest = computing;
  }
  if (link_ != nullptr) {
    if (exchanges_charged_ > 0) {
      slowest.exchange =
          exchanges_charged_ * kernel_seconds(chosen(link_->exchange),
                                              exchanged_elements(segments[0]), bytes_per_value_);
    }
    slowest.synchronisation = synchronisations_charged_ * link_->sync_seconds;
  }
  return slowest;
}

std::vector<std::string> IterationPricer::warnings(std::span<const SegmentShape> segments) const {
  std::vector<std::string> warnings;
  if (!extrapolation_.empty()) warnings.push_back(extrapolation_);
  for (const KernelTerm& term : kernels_) {
    if (term.curve == nullptr) continue;
    for (const SegmentShape& segment : segments) {
      add_range_warning(term.key, *term.curve, kernel_elements(term, segment), warnings);
    }
  }
  if (link_ != nullptr && exchanges_charged_ > 0) {
    add_range_warning("exchange", link_->exchange, exchanged_elements(segments[0]), warnings);
  }
  return warnings;
}

IterationTime IterationPricer::price(std::span<const SegmentShape> segments) const {
  IterationTime time;
  time.parts = parts(segments);
  time.seconds = time.parts.total();
  for (const KernelTerm& term : kernels_) {
    for (const SegmentShape& segment : segments) {
      time.flops += term.charged * evaluate(term.flops, segment);
    }
  }
  time.warnings = warnings(segments);
  return time;
}

IterationTime price_iteration(const Schedule& schedule, std::span<const SegmentShape> segments,
                              const DeviceProfile& profile, Precision precision,
                              const std::string& layout, CurveKind curve) {
  const int devices = static_cast<int>(segments.size());
  return IterationPricer(schedule, devices, profile, precision, layout, curve).price(segments);
}

std::vector<SegmentShape> equal_segments(double unknowns, double elements, const Layout& layout,
                                         int devices) {
  const int block_size = layout.block_size;
  SegmentShape segment;
  segment.unknowns = unknowns / devices;
  segment.total_unknowns = unknowns;
  segment.elements = elements / devices;
  segment.blocks = segment.elements / (static_cast<double>(block_size) * block_size);
  segment.block_rows = segment.unknowns / block_size;
  return std::vector<SegmentShape>(static_cast<std::size_t>(devices), segment);
}

double iteration_flops(double unknowns, double elements, double block_density) {
  return 2 * elements * block_density + 15 * unknowns;
}

}  // namespace sparsecast
