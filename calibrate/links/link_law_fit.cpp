#include "calibrate/links/link_law_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "calibrate/fit/median.hpp"
#include "calibrate/links/relative_law.hpp"
#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "model/network/network_file.hpp"
#include "model/network/network_names.hpp"
#include "model/network/sum_tree.hpp"

namespace sparsecast {
namespace {

constexpr double giga = 1e9;

/// The numbers of the law of messages and exchanges: seconds, or seconds a byte.
enum Number : std::size_t {
  fixed,
  message,
  latency,                  ///< of one class, then of the other
  one_way = latency + 2,    ///< a byte of a message that nothing comes to meet
  both_ways = one_way + 2,  ///< and of an exchange
  adapter = both_ways + 2,  ///< a byte through one
  large,                    ///< more of a large message, of one class, then of the other
  numbers = large + 2,
};

constexpr std::size_t of(Number first, LinkClass of_class) {
  return first + (of_class == LinkClass::other_host ? 1U : 0U);
}

/// With the error that follows from that of its inverse.
Estimate gbps_of(const Estimate& seconds_a_byte) {
  const double gbps = 1 / (giga * seconds_a_byte.value);
  return {gbps, gbps * seconds_a_byte.error / seconds_a_byte.value};
}

std::vector<double> values_of(std::span<const Estimate> numbers_of_law) {
  std::vector<double> values;
  for (const Estimate& each : numbers_of_law) values.push_back(each.value);
  return values;
}

/// Fits one transport.
class TransportFitter {
 public:
  TransportFitter(const LinkSampleFile& file, Transport transport, NetworkFit& result)
      : adapters_(file.adapters_per_host), transport_(transport), result_(result) {
    for (const LinkSample& sample : file.samples) {
      if (sample.transport != transport) continue;
      if (sample.kind == LinkSample::Kind::sum) {
        sums_.push_back(&sample);
      } else if (sample.kind != LinkSample::Kind::work) {
        moved_.push_back(&sample);
      }
    }
  }

  void fit() {
    TransportCosts costs;
    fit_moved(costs);
    fit_sums(costs);
    for (const auto& [of_class, link] : costs.links) {
      // A file has both of a class, or none.
      if (costs.sum.doubling_seconds.contains(of_class)) continue;
      warn("no sums by which ranks of class " + std::string(link_class_text(of_class)) +
           " could be told apart; a sum's latency is taken for a message's");
      costs.sum.doubling_seconds[of_class] = link.latency_seconds;
    }
    result_.network.transports[transport_] = std::move(costs);
    constexpr double much = 0.25;
    const double error = median(std::move(errors_));
    if (error > much) {
      warn("half of the times are more than " + short_number(100 * error) +
           " % off what such laws give; give each rank a core of its own, and measure again when "
           "nothing else runs");
    }
    result_.median_errors[transport_] = error;
  }

 private:
  void warn(const std::string& text) {
    result_.warnings.push_back(std::string(to_string(transport_)) + ": " + text);
  }

  /// Messages of more bytes than these are large, by class.
  using LargeBytes = std::map<LinkClass, double>;

  LawPoint point_of(const LinkSample& sample, const LargeBytes& large_bytes) const {
    LawPoint point;
    point.seconds = sample.seconds;
    point.noise = sample.noise / 1.96;
    point.always.resize(numbers);
    point.always[of(latency, sample.of_class)] = 1;
    const auto limit = large_bytes.find(sample.of_class);
    if (limit != large_bytes.end() && sample.bytes > limit->second) {
      point.always[of(large, sample.of_class)] = 1;
    }
    if (sample.kind == LinkSample::Kind::message) {
      point.always[of(one_way, sample.of_class)] = sample.bytes;
      return point;
    }
    point.always[fixed] = 1;
    point.always[message] = sample.neighbours - 1;
    const auto add = [&](std::size_t number, double bytes) {
      if (bytes == 0) return;
      point.longest.emplace_back(numbers)[number] = bytes;
    };
    add(of(both_ways, LinkClass::same_host), sample.near_neighbours * sample.bytes);
    add(of(both_ways, LinkClass::other_host), sample.far_neighbours * sample.bytes);
    if (sample.leaving > 1) add(adapter, sample.leaving * sample.bytes / adapters_);
    return point;
  }

  void fit_moved(TransportCosts& costs) {
    if (moved_.empty()) {
      throw Error(std::string(to_string(transport_)) +
                  ": no samples of messages; measure them (mpirun -n 2 sparsecast calibrate "
                  "--links)");
    }
    std::set<LinkClass> classes;
    bool several_neighbours = false;
    for (const LinkSample* sample : moved_) {
      if (sample->kind != LinkSample::Kind::exchange) continue;
      classes.insert(sample->of_class);
      several_neighbours = several_neighbours || sample->neighbours > 1;
    }
    LargeBytes large_bytes;
    for (const LinkClass of_class : classes) find_large(of_class, large_bytes);
    const std::vector<LawPoint> points = points_of(large_bytes);
    const std::vector<Estimate> x = fit_law(points, numbers);
    note_errors(points, x);
    costs.fixed_seconds = x[fixed];
    costs.message_seconds = x[message];
    for (const LinkClass of_class : classes) {
      const Estimate& seconds_a_byte = x[of(both_ways, of_class)];
      if (!(seconds_a_byte.value > 0)) {
        throw Error(std::string(to_string(transport_)) + ": exchanges of class " +
                    std::string(link_class_text(of_class)) +
                    " take no longer for more bytes; measure larger ones, or again");
      }
      MessageCosts& link = costs.links[of_class];
      link = {x[of(latency, of_class)], gbps_of(seconds_a_byte)};
      const auto limit = large_bytes.find(of_class);
      if (limit == large_bytes.end()) continue;
      link.large_bytes = limit->second;
      link.large_seconds = x[of(large, of_class)];
    }
    if (!several_neighbours) {
      warn("two ranks say nothing of further neighbours, which cost nothing here; measure more");
    }
    fit_adapter(points, x);
  }

  std::vector<LawPoint> points_of(const LargeBytes& large_bytes) const {
    std::vector<LawPoint> points;
    for (const LinkSample* sample : moved_) points.push_back(point_of(*sample, large_bytes));
    return points;
  }

  /// How far the law that fits best lies off these samples.
  double misfit(const LargeBytes& large_bytes) const {
    const std::vector<LawPoint> points = points_of(large_bytes);
    return law_misfit(points, values_of(fit_law(points, numbers)));
  }

  /// From where on messages of a class are large, where that explains much: between the two sampled
  /// sizes for which it fits best.
  void find_large(LinkClass of_class, LargeBytes& large_bytes) const {
    std::set<double> sizes;
    for (const LinkSample* sample : moved_) {
      if (sample->of_class == of_class) sizes.insert(sample->bytes);
    }
    if (sizes.size() < 5) return;
    // Two sizes on either side tell latency, rate and what is more apart.
    sizes.erase(sizes.begin());
    sizes.erase(std::prev(sizes.end()));
    constexpr double much = 0.8;
    double least = much * misfit(large_bytes);
    LargeBytes best = large_bytes;
    for (auto next = std::next(sizes.begin()); next != sizes.end(); ++next) {
      LargeBytes with = large_bytes;
      with[of_class] = std::sqrt(*std::prev(next) * *next);
      const double off = misfit(with);
      if (off >= least) continue;
      least = off;
      best = with;
    }
    large_bytes = best;
  }

  /// That of the fit where an adapter held some exchange up; else what was reached: it is no
  /// slower.
  void fit_adapter(std::span<const LawPoint> points, std::span<const Estimate> x) {
    double reached = 0;
    bool holds_up = false;
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      const LinkSample& sample = *moved_[i];
      if (sample.kind != LinkSample::Kind::exchange || sample.leaving < 2) continue;
      const double bytes = sample.leaving * sample.bytes / adapters_;
      reached = std::max(reached, bytes / (giga * sample.seconds));
      double others = 0;
      for (const std::vector<double>& each : points[i].longest) {
        for (std::size_t k = 0; k < adapter; ++k) others = std::max(others, each[k] * x[k].value);
      }
      // By more than what fits are off by.
      holds_up = holds_up || x[adapter].value * bytes > 1.1 * others;
    }
    const double gbps = holds_up ? gbps_of(x[adapter]).value : reached;
    result_.network.adapter_gbps = std::max(result_.network.adapter_gbps, gbps);
  }

  void fit_sums(TransportCosts& costs) {
    const auto terms = [this](const LinkSample& sample) {
      const SumSteps steps = steps_of_sum(transport_, sample.ranks, sample.ranks_per_host);
      return std::pair(steps.same_host, steps.other_host);
    };
    std::set<std::pair<int, int>> different;
    bool near = false;
    bool far = false;
    for (const LinkSample* sample : sums_) {
      different.insert(terms(*sample));
      near = near || terms(*sample).first > 0;
      far = far || terms(*sample).second > 0;
    }
    if (different.empty()) return;
    // A few say nothing of what is fixed.
    const bool has_fixed = different.size() > (near ? 1U : 0U) + (far ? 1U : 0U);
    std::vector<LawPoint> points;
    for (const LinkSample* sample : sums_) {
      LawPoint point;
      point.seconds = sample->seconds;
      point.noise = sample->noise / 1.96;
      const auto [of_host, of_hosts] = terms(*sample);
      point.always = {has_fixed ? 1.0 : 0.0, static_cast<double>(of_host),
                      static_cast<double>(of_hosts)};
      points.push_back(std::move(point));
    }
    const std::vector<Estimate> x = fit_law(points, 3);
    note_errors(points, x);
    costs.sum.fixed_seconds = x[0];
    if (near) costs.sum.doubling_seconds[LinkClass::same_host] = x[1];
    if (far) costs.sum.doubling_seconds[LinkClass::other_host] = x[2];
  }

  void note_errors(std::span<const LawPoint> points, std::span<const Estimate> x) {
    const std::vector<double> values = values_of(x);
    for (const LawPoint& point : points) {
      errors_.push_back(std::abs(law_seconds(point, values) / point.seconds - 1));
    }
  }

  const int adapters_;
  const Transport transport_;
  NetworkFit& result_;
  std::vector<const LinkSample*> moved_;  ///< messages and exchanges
  std::vector<const LinkSample*> sums_;
  std::vector<double> errors_;
};

}  // namespace

NetworkFit fit_network(const LinkSampleFile& file, const std::string& name) {
  NetworkFit result;
  Network& network = result.network;
  network.name = name;
  network.origin = Network::Origin::measured;
  network.description = file.description;
  network.environment = file.environment;
  network.adapters_per_host = file.adapters_per_host;
  std::set<Transport> transports;
  for (const LinkSample& sample : file.samples) {
    transports.insert(sample.transport);
    network.ranks_per_host = std::max(network.ranks_per_host, sample.ranks_per_host);
    if (sample.kind == LinkSample::Kind::work) {
      network.deviation = std::clamp(sample.noise, network.deviation, 1.0);
    }
  }
  if (transports.empty()) {
    throw Error(name + ": no samples; measure them (mpirun -n 2 sparsecast calibrate --links)");
  }
  for (const Transport transport : transports) TransportFitter(file, transport, result).fit();
  return result;
}

}  // namespace sparsecast
