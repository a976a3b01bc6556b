#include "model/traffic/traffic_parameters.hpp"

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast {
namespace {

constexpr std::string_view cpu_group = "cpu";

/// Collects the parameters of one group after the other.
class ParameterList {
 public:
  void begin(std::string group) { prefix_ = std::move(group) + '/'; }

  /// A cost of which there may be none.
  void add_seconds(const char* name, const char* meaning, double& value, double least, double most,
                   Scaling scaling) {
    list_.push_back({prefix_ + name, "s", meaning, &value, least, most, least, scaling});
  }
  void add_launch(const char* name, const char* meaning, double& value,
                  Scaling scaling = Scaling::none) {
    add_seconds(name, meaning, value, 1e-9, 1e-3, scaling);
  }
  /// A part of the work: down to what cannot be measured.
  void add_work(const char* name, const char* meaning, double& value, Scaling scaling) {
    add_seconds(name, meaning, value, 1e-16, 1e-4, scaling);
  }
  void add_gbps(const char* name, const char* meaning, double& value, Scaling scaling,
                double most = 1e5) {
    list_.push_back({prefix_ + name, "GB/s", meaning, &value, 1, most, most, scaling});
  }
  void add_number(const char* name, const char* unit, const char* meaning, double& value,
                  double least, double most, double neutral, Scaling scaling = Scaling::none) {
    list_.push_back({prefix_ + name, unit, meaning, &value, least, most, neutral, scaling});
  }

  std::vector<TrafficParameter> take() { return std::move(list_); }

 private:
  std::string prefix_;
  std::vector<TrafficParameter> list_;
};

void add_device(ParameterList& list, DeviceCosts& costs) {
  list.begin("device");
  list.add_launch("wait", "the host waits for a sum", costs.wait_seconds);
  list.add_launch("graph", "an iteration's share of the gap between graphs", costs.graph_seconds);
  list.add_launch("plain", "a plain launch, more than in a graph", costs.plain_seconds);
  list.add_launch("skipped", "a kernel whose guard is closed", costs.skipped_seconds);
  list.add_gbps("skipped_rate", "and its thread blocks", costs.skipped_gbps,
                Scaling::all_multiprocessors, 1e8);
  list.add_gbps("memory_read", "from memory", costs.memory_read_gbps, Scaling::memory_bandwidth);
  list.add_gbps("memory_write", "to memory", costs.memory_write_gbps, Scaling::memory_bandwidth);
  list.add_number("grid_stride", "", "memory's time where blocks take part after part, times",
                  costs.grid_stride, 1, 2, 1);
  list.add_number("l2_capacity", "B", "reused after so many bytes, half is missed",
                  costs.cache_bytes, 1e5, 1e12, 1e5, Scaling::l2_capacity);
  list.add_number("l2_sharpness", "", "how steeply misses set in", costs.cache_sharpness, 0.5, 20,
                  20);
  list.add_number("overlap", "", "1: times add up; large: the longest counts", costs.overlap, 1, 20,
                  1);
  list.add_number("product_overlap", "", "the same of products of many waves",
                  costs.product_overlap, 1, 20, 1);
  list.add_number("overlap_waves", "", "waves of threads with which it is half of that",
                  costs.overlap_waves, 1e-3, 1e3, 1e-3);
  list.add_number("whole_waves", "", "of a second wave, a whole one; of later ones its powers",
                  costs.whole_waves, 1e-3, 1, 1e-3);
  list.add_number("contention", "", "of instructions, of thread blocks more than elsewhere",
                  costs.contention, 1e-3, 10, 1e-3);
  list.add_number("uneven_waves", "", "of a wave's instructions, where there is a second one",
                  costs.uneven_waves, 1e-3, 10, 1e-3);
  list.add_launch("miss", "until memory answers, where all is there", costs.miss_seconds);
  list.add_launch("memory_wait", "a warp waits for a pass from memory", costs.memory_wait_seconds);
  list.add_work("double", "a stored value in f64, on one multiprocessor", costs.double_seconds,
                Scaling::clock);
  list.add_launch("product", "a product's launch and first loads", costs.product_seconds);
  list.add_launch("library", "of the library's product", costs.library_seconds);
  list.add_launch("join", "adding up the pieces of a row", costs.join_seconds);
  list.add_work("sector", "a gathered sector, from L2", costs.sector_seconds, Scaling::l2_rate);
  list.add_work("line", "128 bytes of the vector, from L1", costs.line_seconds, Scaling::clock);
  list.add_number("l1_capacity", "B", "of the gathered vector, in an L1", costs.l1_bytes, 1e3, 1e7,
                  1e3);
  list.add_gbps("l2_read", "by kernels on vectors, from L2", costs.cache_read_gbps,
                Scaling::l2_rate);
  list.add_gbps("l2_write", "by kernels on vectors, to L2", costs.cache_write_gbps,
                Scaling::l2_rate);
  list.add_launch("sum", "sums at a product's end", costs.sum_seconds);
  list.add_number("sum_pass", "", "a pass over the longest row of one with sums, times",
                  costs.sum_pass, 0.3, 5, 1);
  list.add_number("sum_step", "", "a warp's pass of one with sums, times", costs.sum_step, 0.3, 8,
                  1);
  list.add_gbps("sum_stream", "what one with sums streams through L2, beside", costs.sum_gbps,
                Scaling::l2_rate);
}

void add_kernel(ParameterList& list, std::string_view name, KernelCosts& costs) {
  list.add_launch("fixed", "launch, first loads", costs.fixed_seconds);
  const bool blocks = name == dots_kind || name == terms_kind;
  if (!blocks && name != library_row_kind) {
    list.add_launch("sum", "more where it ends with sums", costs.sum_seconds);
  }
  if (blocks || name == pass_kind) {
    list.add_work("vector", "a vector that is read or written", costs.vector_seconds,
                  Scaling::clock);
  }
  if (name == library_kind) {
    list.add_number("values", "1e9/s", "values that move", costs.values, 1, 1e5, 1e5,
                    Scaling::all_multiprocessors);
  }
  if (name == library_row_kind) {
    list.add_gbps("cache", "through the last-level cache", costs.gbps, Scaling::l2_rate);
  }
}

void add_passes(ParameterList& list, PassCosts& costs) {
  list.begin(std::string(passes_group));
  list.add_launch("end", "a kernel that ends with scalars or checks", costs.end_seconds);
  list.add_launch("ticket", "more where it has no sums", costs.ticket_seconds);
  list.add_launch("iteration", "to count an iteration", costs.iteration_seconds);
  list.add_launch("operation", "a scalar operation or check behind a pass", costs.operation_seconds,
                  Scaling::clock);
  list.add_launch("interpreted", "one behind a product", costs.interpreted_seconds, Scaling::clock);
  list.add_launch("chain", "one that waits for another", costs.chain_seconds, Scaling::clock);
  list.add_launch("sum", "a further sum of a pass", costs.sum_seconds);
  list.add_launch("guard", "a kernel under a condition", costs.guard_seconds);
  list.add_launch("fetch", "a kernel whose instructions are fetched", costs.fetch_seconds);
}

void add_product(ParameterList& list, std::string_view kind, ProductCosts& costs) {
  list.add_work("byte", "a byte of values, on one multiprocessor", costs.byte_seconds,
                Scaling::clock);
  list.add_gbps("cache", "streamed through L2", costs.gbps, Scaling::l2_rate);
  if (kind == library_product) return;
  list.add_launch("pass", "a pass over the longest row", costs.pass_seconds, Scaling::clock);
  list.add_number("double_pass", "", "the same in f64, times", costs.double_pass, 0.3, 5, 1);
  list.add_work("step", "a warp's pass, on one multiprocessor", costs.step_seconds, Scaling::clock);
  list.add_work("entry", "a stored block, on one multiprocessor", costs.entry_seconds,
                Scaling::clock);
  list.add_launch("next_wave", "a further wave of thread blocks", costs.next_wave_seconds,
                  Scaling::clock);
  list.add_launch("sum", "more than others where it ends with sums", costs.sum_seconds);
  list.add_launch("sum_wave", "a warp's mean passes in a further wave, with sums",
                  costs.sum_wave_seconds, Scaling::clock);
  if (kind.ends_with(stream_kind)) {
    list.add_launch("sum_wait", "a warp waits for a pass, with sums", costs.sum_wait_seconds,
                    Scaling::clock);
  }
}

void add_persistent(ParameterList& list, PersistentCosts& costs) {
  list.add_work("warp", "each warp of a thread block, beside rows", costs.warp_seconds,
                Scaling::clock);
  list.add_work("slice", "rows that a warp takes at a time", costs.slice_seconds, Scaling::clock);
  list.add_work("doubling", "twice the lanes for the longest row", costs.doubling_seconds,
                Scaling::clock);
  list.add_work("load", "a warp's loads of matrix that is not in shared memory", costs.load_seconds,
                Scaling::clock);
  list.add_work("spilled", "an unknown of a thread whose vectors come from memory",
                costs.spilled_seconds, Scaling::none);
  list.add_work("sector", "32 bytes of values of other segments, of a segment",
                costs.sector_seconds, Scaling::clock);
  list.add_work("uneven", "such a value of the largest segment beyond the mean",
                costs.uneven_seconds, Scaling::clock);
  list.add_work("round", "such values that all its threads wait for at once", costs.round_seconds,
                Scaling::none);
  list.add_number("cache_capacity", "B", "so many bytes moved, half come from memory",
                  costs.cache_bytes, 1e5, 1e12, 1e5, Scaling::l2_capacity);
  list.add_number("cache_sharpness", "", "how steeply misses set in", costs.cache_sharpness, 0.5,
                  20, 20);
}

void add_persistent_sums(ParameterList& list, PersistentSums& costs) {
  list.add_launch("base", "sums over all thread blocks", costs.base_seconds);
  list.add_work("block", "for each thread block", costs.block_seconds, Scaling::none);
}

/// No data sheet says how caches and memory of one CPU go over to another.
void add_cpu(ParameterList& list, CpuCosts& costs) {
  list.begin(std::string(cpu_group));
  list.add_work("call", "any kernel, whatever its size", costs.call_seconds, Scaling::none);
  list.add_work("scalar", "a step without rows: scalars, tests", costs.scalar_seconds,
                Scaling::none);
  list.add_launch("wait", "two threads wait for each other", costs.wait_seconds);
  list.add_work("thread", "more for each further thread", costs.thread_seconds, Scaling::none);
  const auto add_capacity = [&](const char* name, const char* meaning, double& bytes) {
    list.add_number(name, "B", meaning, bytes, 1e3, 1e12, 1e3);
  };
  add_capacity("nearest_capacity", "a core's nearest cache: reused later, half is missed",
               costs.nearest_bytes);
  add_capacity("private_capacity", "a core's private cache", costs.private_bytes);
  add_capacity("shared_capacity", "the cache of all cores", costs.shared_bytes);
  list.add_number("sharpness", "", "how steeply misses set in", costs.sharpness, 0.5, 20, 20);
  list.add_gbps("private", "a thread, from its core's private cache", costs.private_gbps,
                Scaling::none);
  list.add_gbps("shared", "all threads, from the shared cache", costs.shared_gbps, Scaling::none);
  list.add_gbps("memory_read", "all threads, from memory", costs.memory_read_gbps, Scaling::none);
  list.add_gbps("memory_write", "all threads, to memory", costs.memory_write_gbps, Scaling::none);
  list.add_number("overlap", "", "1: times add up; large: the longest counts", costs.overlap, 1, 20,
                  1);
  list.add_work("private_lookup", "a sector looked up again, from the private cache",
                costs.private_lookup_seconds, Scaling::none);
  list.add_work("shared_lookup", "the same from the shared cache", costs.shared_lookup_seconds,
                Scaling::none);
  list.add_work("memory_lookup", "the same from memory", costs.memory_lookup_seconds,
                Scaling::none);
  list.add_work("remote_lookup", "of what another core has written since, and still has",
                costs.remote_lookup_seconds, Scaling::none);
  list.add_work("evicted_lookup", "the same, when its private cache has lost it",
                costs.evicted_lookup_seconds, Scaling::none);
  list.add_work("uneven_row", "a row of CSR that is not as long as those beside it",
                costs.uneven_row_seconds, Scaling::none);
}

void add_cpu_kernel(ParameterList& list, CpuKernelCosts& costs) {
  list.add_gbps("nearest", "a thread, from its core's nearest cache", costs.gbps, Scaling::none);
}

void add_cpu_product(ParameterList& list, CpuProductCosts& costs) {
  list.add_work("row", "a stored block row, of one thread", costs.row_seconds, Scaling::none);
  list.add_work("block", "a stored block, of one thread", costs.block_seconds, Scaling::none);
}

constexpr std::array kernel_kinds{vector_kind, pass_kind,    dots_kind,
                                  terms_kind,  library_kind, library_row_kind};
constexpr std::string_view product_prefix = "product/";
constexpr std::string_view persistent_prefix = "persistent-";
constexpr std::string_view cpu_kernel_prefix = "kernel-";
constexpr std::string_view cpu_product_prefix = "product-";

/// Which parameters have what their names begin with in common.
struct Group {
  enum class Kind {
    unknown,
    device,
    kernel,
    passes,
    product,
    persistent,
    persistent_sums,
    persistent_steps,
    cpu,
    cpu_kernel,
    cpu_product
  };
  Kind kind = Kind::unknown;
  std::string key{};  ///< of kernels and products, and what depends on the precision
  Precision precision = Precision::f64;
};

Group parse_group(std::string_view group) {
  using enum Group::Kind;
  const auto keyed = [&](std::string_view prefix, Group::Kind kind, std::string_view text) {
    return Group{text.starts_with(prefix) ? kind : unknown,
                 std::string(text.substr(std::min(prefix.size(), text.size())))};
  };
  if (group.starts_with(product_prefix)) return keyed(product_prefix, product, group);
  const std::size_t slash = group.find('/');
  if (slash == std::string_view::npos) {
    if (group == "device") return {device};
    if (group == cpu_group) return {cpu};
    if (group == passes_group) return {passes};
    if (group == persistent_group) return {persistent};
    if (std::ranges::count(kernel_kinds, group) > 0) return {kernel, std::string(group)};
    return keyed(persistent_prefix, persistent_sums, group);
  }
  const std::string_view bits = group.substr(0, slash);
  if (bits != "f32" && bits != "f64") return {};
  for (const auto& [prefix, kind] : {std::pair{persistent_prefix, persistent_steps},
                                     {cpu_kernel_prefix, cpu_kernel},
                                     {cpu_product_prefix, cpu_product}}) {
    Group found = keyed(prefix, kind, group.substr(slash + 1));
    found.precision = bits == "f32" ? Precision::f32 : Precision::f64;
    if (found.kind != unknown) return found;
  }
  return {};
}

/// Whether there is such a group, for which there is then room.
bool make_room(TrafficParameters& parameters, std::string_view name) {
  const Group group = parse_group(name);
  const auto fill = [](auto& optional) {
    if (!optional) optional.emplace();
  };
  switch (group.kind) {
    case Group::Kind::unknown:
      return false;
    case Group::Kind::device:
      break;
    case Group::Kind::kernel:
      parameters.kernels[group.key];
      break;
    case Group::Kind::passes:
      fill(parameters.passes);
      break;
    case Group::Kind::product:
      parameters.products[group.key];
      break;
    case Group::Kind::persistent:
      fill(parameters.persistent);
      break;
    case Group::Kind::persistent_sums:
      parameters.persistent_sums[group.key];
      break;
    case Group::Kind::persistent_steps:
      parameters.persistent_steps[group.precision][group.key];
      break;
    case Group::Kind::cpu:
      fill(parameters.cpu);
      break;
    case Group::Kind::cpu_kernel:
      parameters.cpu_kernels[group.precision][group.key];
      break;
    case Group::Kind::cpu_product:
      parameters.cpu_products[group.precision][group.key];
      break;
  }
  return true;
}

}  // namespace

std::vector<TrafficParameter> parameter_list(TrafficParameters& parameters) {
  ParameterList list;
  if (parameters.cpu) {
    add_cpu(list, *parameters.cpu);
  } else {
    add_device(list, parameters.device);
  }
  for (auto& [name, costs] : parameters.kernels) {
    list.begin(name);
    add_kernel(list, name, costs);
  }
  if (parameters.passes) add_passes(list, *parameters.passes);
  for (auto& [kind, costs] : parameters.products) {
    list.begin(std::string(product_prefix) + kind);
    add_product(list, kind, costs);
  }
  if (parameters.persistent) {
    list.begin(std::string(persistent_group));
    add_persistent(list, *parameters.persistent);
  }
  for (auto& [kind, costs] : parameters.persistent_sums) {
    list.begin(std::string(persistent_prefix) + kind);
    add_persistent_sums(list, costs);
  }
  for (auto& [precision, kinds] : parameters.persistent_steps) {
    for (auto& [kind, costs] : kinds) {
      list.begin(std::string(to_string(precision)) + '/' + std::string(persistent_prefix) + kind);
      list.add_work("step", "32 stored blocks of the largest segment", costs.step_seconds,
                    Scaling::clock);
    }
  }
  for (auto& [precision, kernels] : parameters.cpu_kernels) {
    for (auto& [name, costs] : kernels) {
      list.begin(std::string(to_string(precision)) + '/' + std::string(cpu_kernel_prefix) + name);
      add_cpu_kernel(list, costs);
    }
  }
  for (auto& [precision, layouts] : parameters.cpu_products) {
    for (auto& [layout, costs] : layouts) {
      list.begin(std::string(to_string(precision)) + '/' + std::string(cpu_product_prefix) +
                 layout);
      add_cpu_product(list, costs);
    }
  }
  return list.take();
}

bool is_device_constant(const TrafficParameter& parameter) {
  const bool has_unit = !std::string_view(parameter.unit).empty();
  return (has_unit && parameter.name.starts_with("device/")) ||
         parameter.scaling == Scaling::l2_capacity;
}

bool has_parameter_group(const TrafficParameters& parameters, std::string_view name) {
  const Group group = parse_group(name);
  const auto has = [&](const auto& by_precision) {
    const auto found = by_precision.find(group.precision);
    return found != by_precision.end() && found->second.contains(group.key);
  };
  switch (group.kind) {
    case Group::Kind::unknown:
      return false;
    case Group::Kind::device:
      return !parameters.cpu;
    case Group::Kind::kernel:
      return parameters.kernels.contains(group.key);
    case Group::Kind::passes:
      return parameters.passes.has_value();
    case Group::Kind::product:
      return parameters.products.contains(group.key);
    case Group::Kind::persistent:
      return parameters.persistent.has_value();
    case Group::Kind::persistent_sums:
      return parameters.persistent_sums.contains(group.key);
    case Group::Kind::persistent_steps:
      return has(parameters.persistent_steps);
    case Group::Kind::cpu:
      return parameters.cpu.has_value();
    case Group::Kind::cpu_kernel:
      return has(parameters.cpu_kernels);
    case Group::Kind::cpu_product:
      return has(parameters.cpu_products);
  }
  return false;
}

void add_parameter_group(TrafficParameters& parameters, std::string_view group) {
  if (!make_room(parameters, group)) {
    throw Error("the traffic model has no parameters " + in_quotes(group));
  }
}

void add_parameter(TrafficParameters& parameters, std::string_view name) {
  const bool known = make_room(parameters, name.substr(0, name.rfind('/')));
  const std::vector<TrafficParameter> all = parameter_list(parameters);
  if (!known || std::ranges::find(all, name, &TrafficParameter::name) == all.end()) {
    throw Error("the traffic model has no parameter " + in_quotes(name));
  }
}

}  // namespace sparsecast
