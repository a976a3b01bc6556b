#include "predict/advice/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/analysis/cuda_execution.hpp"
#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/layout.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/advice/compared_time.hpp"

namespace sparsecast {
namespace {

const std::string rcm = "reverse Cuthill-McKee (rcm)";

std::string percent(double share) {
  return std::to_string(std::lround(100 * share)) + " %";
}

std::string microseconds(double seconds) {
  return short_number(1e6 * seconds) + " us";
}

std::vector<ExplainedPart> parts_of(const TrafficPrice& price, const TrafficForecast& forecast) {
  std::vector<ExplainedPart> parts;
  for (const StepPrice& step : price.steps) {
    ExplainedPart part;
    part.name = step.name;
    part.seconds = step.seconds;
    part.floor_seconds = std::min(step.memory_seconds, step.seconds);
    part.bytes = step.bytes;
    part.memory_bytes = step.memory_bytes;
    part.cache_bytes = step.cache_bytes;
    part.gathered_bytes = step.gathered_bytes;
    part.bound = to_string(step.bound);
    parts.push_back(std::move(part));
  }
  const auto add = [&](const char* name, const char* bound, double seconds, double bytes = 0) {
    if (!(seconds > 0)) return;
    ExplainedPart part;
    part.name = name;
    part.bound = bound;
    part.seconds = seconds;
    part.cache_bytes = bytes;
    parts.push_back(std::move(part));
  };
  add(forecast.segment.cpu ? "scalars and tests" : "between kernels", "launch",
      price.launch_seconds);
  add("exchange", "exchange", price.exchange_seconds);
  add("sums over devices", "sums over devices", price.device_sum_seconds);
  add("sums and barriers", "synchronisation", price.synchronisation_seconds);
  add("blocks of the fullest thread block", "instructions", price.blocks_seconds);
  add("rows of a thread block", "instructions", price.unknowns_seconds);
  add("values of other thread blocks", "halo", price.halo_seconds);
  add("what shared memory does not hold", "spilling", price.moved_seconds,
      forecast.segment.execution.persistent.moved_bytes);
  return parts;
}

/// What can be said of one forecast.
class Adviser {
 public:
  Adviser(const Prediction& chosen, std::span<const Prediction> all, const Explanation& explanation)
      : chosen_(chosen),
        explanation_(explanation),
        segment_(chosen.traffic->segment),
        entries_(std::accumulate(segment_.pattern.sector_lookups.begin(),
                                 segment_.pattern.sector_lookups.end(), 0.0)) {
    // Whole solves, and so iterations of different solvers, are compared by what all of them take.
    if (chosen.count || chosen.iterations > 0) time_ = compared_time(all);
    const double enough = seconds_of(chosen, time_) / (1 + tie_margin);
    for (const Prediction& other : all) {
      if (other.only_compared || !other.traffic || !other.fits.value_or(true)) continue;
      const double least = best_ == nullptr ? enough : seconds_of(*best_, time_);
      if (seconds_of(other, time_) < least) best_ = &other;
    }
  }

  std::vector<std::string> advice() const {
    std::vector<std::string> advice = for_bound();
    add_residual(advice);
    if (best_ == nullptr) return advice;
    const double ratio = seconds_of(chosen_, time_) / seconds_of(*best_, time_);
    const bool reordered = best_->renumbering != chosen_.renumbering;
    advice.push_back("layout " + to_string(best_->layout) + ", schedule " + best_->schedule +
                     (best_->launch ? ", launch " + std::string(to_string(*best_->launch)) : "") +
                     (reordered ? ", order " + std::string(to_string(best_->renumbering)) : "") +
                     " takes " + microseconds(seconds_of(*best_, time_)) + ": " +
                     short_number(ratio) + " times as fast");
    return advice;
  }

 private:
  /// Where similar products and iterations took notably more or less than the parts explain.
  void add_residual(std::vector<std::string>& advice) const {
    constexpr double notable = 0.02;
    double residual = chosen_.traffic->price.residual_seconds;
    for (const StepPrice& step : chosen_.traffic->price.steps) {
      residual += step.residual_seconds;
    }
    const double relative = std::abs(residual) / chosen_.seconds_per_iteration;
    if (relative < notable) return;
    advice.push_back("products and iterations like this one took " +
                     microseconds(std::abs(residual)) + (residual > 0 ? " more" : " less") +
                     " in the calibration than all terms of the model explain: included");
  }

  /// Whether the fused schedule is the same method in fewer kernels.
  bool may_fuse() const {
    return find_built_in(chosen_.schedule) != nullptr && chosen_.schedule != fused_cg().name();
  }

  std::string share() const { return percent(explanation_.bound_share) + " of the time"; }

  std::vector<std::string> for_bound() const {
    const std::string& bound = explanation_.bound;
    if (bound == "waiting") return for_waiting();
    if (bound == "launch") return segment_.cpu ? for_calls() : for_launches();
    if (bound == "longest row") return for_longest_row();
    if (bound == "memory") return for_bytes("from and to memory");
    if (bound == "cache") {
      return for_bytes(segment_.cpu ? "from the caches behind the nearest one"
                                    : "through the last-level cache, which holds the system");
    }
    if (bound == "gather") return for_look_ups();
    if (bound == "L1") return for_fullest();
    if (bound == "synchronisation") return for_synchronisation();
    if (bound == "halo") return for_halo();
    if (bound == "spilling") return for_spilled();
    if (bound == "exchange") return for_exchange();
    if (bound == "sums over devices") return for_device_sums();
    return for_instructions();
  }

  std::vector<std::string> for_launches() const {
    std::vector<std::string> advice{
        share() +
        " is in parts bound by launches, first loads and sums, which cost the same for any size"};
    if (best_ != nullptr && best_->launch == LaunchMode::persistent) {
      advice.push_back("a kernel that stays on the GPU for all iterations has none of these");
    } else if (may_fuse()) {
      advice.push_back("the fused schedule has 3 kernels an iteration where this has " +
                       std::to_string(chosen_.traffic->price.steps.size()));
    } else if (chosen_.launch != LaunchMode::graph) {
      advice.push_back("launch graph saves most of it");
    } else {
      advice.push_back(
          "only a larger system, or another that runs beside it, makes better use of this GPU");
    }
    return advice;
  }

  std::vector<std::string> for_calls() const {
    return {
        share() + " is in parts bound by calls of kernels, scalars and tests, whatever the size",
        "only a larger system, or several at once, makes better use of this CPU"};
  }

  std::vector<std::string> for_waiting() const {
    std::vector<std::string> advice{share() + " is in parts bound by waits of " +
                                    std::to_string(segment_.cpu->threads) +
                                    " threads for each other: sums, and what is gathered next"};
    advice.push_back(may_fuse() ? "the fused schedule waits less often"
                                : "fewer threads may be as fast for a system of this size");
    return advice;
  }

  std::vector<std::string> for_longest_row() const {
    const double mean = segment_.shape.blocks / std::max(1.0, segment_.shape.block_rows);
    std::vector<std::string> advice{share() +
                                    " is in parts bound by passes over the longest row: " +
                                    short_number(segment_.pattern.longest_row) +
                                    " stored blocks, " + short_number(mean) + " on average"};
    advice.push_back(
        "take dense rows (constraints, averages) out of the matrix if the problem allows it, or "
        "use larger blocks");
    return advice;
  }

  std::vector<std::string> for_bytes(const std::string& where) const {
    BytesByKind bytes;
    for (const ExplainedPart& part : explanation_.parts) {
      bytes.values += part.bytes.values;
      bytes.indices += part.bytes.indices;
      bytes.row_pointers += part.bytes.row_pointers;
      bytes.vector_reads += part.bytes.vector_reads;
      bytes.vector_writes += part.bytes.vector_writes;
    }
    const double all = std::max(bytes.total(), 1.0);
    std::vector<std::string> advice{
        share() + " is in parts bound by bytes " + where + ": " + percent(bytes.values / all) +
        " of all bytes are values, " + percent(bytes.indices / all) + " column indices, " +
        percent((bytes.vector_reads + bytes.vector_writes) / all) + " vectors"};
    std::string hints;
    const auto add = [&](const std::string& hint) { hints += (hints.empty() ? "" : "; ") + hint; };
    if (chosen_.precision == Precision::f64) add("precision f32 would halve values and vectors");
    const double zeros = 1 - entries_ / std::max(1.0, segment_.shape.elements);
    const int block_size = chosen_.layout.block_size;
    if (zeros > 0.1 && block_size > 1) {
      add(percent(zeros) + " of the stored values are zeros that fill blocks: smaller blocks");
    } else if (zeros > 0.1 && chosen_.layout != Layout{}) {
      add(percent(zeros) + " of the stored values are zeros between the entries: layout csr");
    }
    if (!segment_.cpu && has_narrow_kernels(block_size) && segment_.shape.index_bytes > 2 &&
        !is_vendor(chosen_.schedule) && bytes.indices > 0.1 * all) {
      add("columns would take 2 bytes instead of 4 if all lay within 32767 blocks of their row "
          "(the furthest entry is " +
          short_number(segment_.pattern.bandwidth) + " away)" +
          (is_rcm() ? "" : ": renumber with " + rcm));
    }
    if (block_size == 1 && bytes.indices > 0.2 * all) {
      add("blocks that are nearly full would save most of the indices");
    }
    if (may_fuse()) add("the fused schedule moves fewer vectors");
    if (hints.empty()) hints = "little is left to save but by another matrix";
    advice.push_back(hints);
    return advice;
  }

  std::vector<std::string> for_look_ups() const {
    double gathered = 0;
    for (const ExplainedPart& part : explanation_.parts) gathered += part.gathered_bytes;
    const double sectors = std::max(1.0, gathered / sector_bytes);
    const double values = sector_bytes / static_cast<double>(bytes_per_value(chosen_.precision));
    std::vector<std::string> advice{
        share() +
        " is in parts bound by gathers of the multiplied vector: each 32-byte sector of it "
        "that a " +
        (segment_.cpu ? "core" : "thread block") + " loads (" + short_number(values) +
        " values) serves " + short_number(entries_ / sectors) + " entries of the matrix"};
    if (has_hubs()) {
      if (chosen_.renumbering != Renumbering::hubs) {
        advice.push_back(
            "rows differ as those of a graph with hubs: renumbering with these first (hubs) keeps "
            "what products gather in fewer cache lines");
      }
    } else if (!is_rcm()) {
      advice.push_back("renumbering with " + rcm +
                       " brings the columns of neighbouring rows together, unless the matrix is so "
                       "numbered already");
    }
    return advice;
  }

  std::vector<std::string> for_fullest() const {
    return {
        share() +
            " is in parts bound by the lines of 128 bytes of the multiplied vector that the "
            "fullest multiprocessor loads from its L1",
        "the product's thread blocks fill the multiprocessors unevenly, or its rows look values "
        "up in many lines at once; only a larger system makes better use of them"};
  }

  std::vector<std::string> for_instructions() const {
    std::vector<std::string> advice{share() + " is in parts bound by the instructions of the " +
                                    (segment_.cpu ? "cores" : "multiprocessors") +
                                    ", not by bytes"};
    if (segment_.pattern.row_deviation >
        0.5 * segment_.shape.blocks / std::max(1.0, segment_.shape.block_rows)) {
      advice.push_back(
          segment_.cpu
              ? "the ends of rows of unlike length are hard to foresee: rows of like length next "
                "to "
                "each other, or larger blocks, would help"
              : "lanes wait for the longer rows beside theirs: rows of like length next to each "
                "other, or larger blocks, would help");
    } else {
      advice.push_back(
          "fewer stored blocks (a larger block size, where blocks are nearly full) "
          "would help");
    }
    return advice;
  }

  std::vector<std::string> for_synchronisation() const {
    std::vector<std::string> advice{share() + " is in parts bound by sums over all " +
                                    std::to_string(segment_.execution.persistent.blocks) +
                                    " thread blocks and their barriers, whatever the matrix"};
    advice.push_back(
        "this is as small as it gets for one system; several systems at once would share the GPU");
    return advice;
  }

  std::vector<std::string> for_halo() const {
    std::vector<std::string> advice{
        share() +
        " is in parts bound by vector values of other thread blocks: the one that gathers most "
        "takes " +
        short_number(segment_.execution.persistent.largest_halo) + ", beside " +
        short_number(segment_.shape.unknowns / std::max(1, segment_.execution.persistent.blocks)) +
        " of its own"};
    if (!is_rcm()) advice.push_back("renumbering with " + rcm + " makes them fewer");
    return advice;
  }

  std::vector<std::string> for_exchange() const {
    double received = 0;
    for (const SegmentWork& one : *chosen_.traffic->segments) {
      received = std::max(received, one.received);
    }
    std::vector<std::string> advice{
        share() + " is the exchange before the product: " + short_number(received) +
        " values reach the device that receives most, of " +
        short_number(segment_.shape.total_unknowns)};
    if (chosen_.renumbering != Renumbering::metis) {
      advice.push_back(
          "an order of the unknowns that cuts fewer couplings makes them fewer: renumber with "
          "METIS (metis) for " +
          std::to_string(chosen_.devices) + " devices");
    }
    return advice;
  }

  std::vector<std::string> for_device_sums() const {
    return {share() + " is in sums over " + std::to_string(chosen_.devices) +
                " devices, whatever the matrix",
            "fewer devices, or a larger system, make better use of them"};
  }

  std::vector<std::string> for_spilled() const {
    std::vector<std::string> advice{
        share() + " is in parts bound by what shared memory does not hold: " +
        percent(segment_.execution.persistent.resident_share) + " of the matrix values stay in it"};
    advice.push_back(chosen_.precision == Precision::f64
                         ? "precision f32 would halve the values, and keep more of them there"
                         : "only a smaller system, or a GPU with more shared memory, keeps more");
    return advice;
  }

  /// Whether the longest row has many times the entries of the mean one.
  bool has_hubs() const {
    constexpr double many = 16;
    const SegmentShape& shape = segment_.shape;
    return segment_.pattern.longest_row > many * shape.blocks / std::max(1.0, shape.block_rows);
  }
  bool is_rcm() const { return chosen_.renumbering == Renumbering::rcm; }

  ComparedTime time_ = ComparedTime::iteration;
  const Prediction& chosen_;
  const Prediction* best_ = nullptr;  ///< of all, if it is not a tie with the chosen
  const Explanation& explanation_;
  const TrafficCase& segment_;
  double entries_;
};

}  // namespace

Explanation explain(const Prediction& chosen, std::span<const Prediction> all) {
  if (!chosen.traffic) {
    throw Error("only the traffic model explains its forecasts; this one is of model '" +
                chosen.model + "'");
  }
  Explanation explanation;
  explanation.parts = parts_of(chosen.traffic->price, *chosen.traffic);
  std::map<std::string, double> seconds;
  for (const ExplainedPart& part : explanation.parts) seconds[part.bound] += part.seconds;
  const auto most =
      std::ranges::max_element(seconds, {}, [](const auto& entry) { return entry.second; });
  explanation.bound = most->first;
  explanation.bound_share = most->second / chosen.seconds_per_iteration;
  explanation.advice = Adviser(chosen, all, explanation).advice();
  return explanation;
}

}  // namespace sparsecast
