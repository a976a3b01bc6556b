#include "model/estimate/data_sheet.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/base/text/nearest_name.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast {
namespace {

/// What a compute capability says: CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability" and "Throughput of Native Arithmetic Instructions".
struct Generation {
  const char* compute_capability;
  std::int64_t shared_bytes_per_block;
  int threads_per_multiprocessor;
  int f64_per_clock;
};
constexpr std::int64_t kilobyte = 1024;
constexpr Generation ampere{"8.0", 163 * kilobyte, 2048, 32};
constexpr Generation ada{"8.9", 99 * kilobyte, 1536, 2};
constexpr Generation hopper{"9.0", 227 * kilobyte, 2048, 64};
constexpr Generation blackwell{"10.0", 227 * kilobyte, 2048, 64};

struct Memory {
  double gbps = 0;
  double gigabytes = 0;
};

struct GpuLink {
  double gbps = 0;  ///< half of what data sheets print, which count both directions
  int devices = 0;
};

struct Processors {
  int count = 0;
  double clock_mhz = 0;
  double l2_mb = 0;
};

DataSheet sheet(const char* name, const char* device, const Generation& generation,
                const Processors& processors, const Memory& memory, const GpuLink& link,
                const char* source) {
  return {.name = name,
          .device = device,
          .multiprocessors = processors.count,
          .clock_mhz = processors.clock_mhz,
          .bandwidth_gbps = memory.gbps,
          .l2_mb = processors.l2_mb,
          .memory_gb = memory.gigabytes,
          .link_gbps = link.gbps,
          .link_devices = link.devices,
          .compute_capability = generation.compute_capability,
          .shared_bytes_per_block = generation.shared_bytes_per_block,
          .threads_per_multiprocessor = generation.threads_per_multiprocessor,
          .f64_per_clock = generation.f64_per_clock,
          .source = source};
}

/// Clocks are the highest that the driver reports, since data sheets of modules print none. Hopper
/// has 60 MB of L2 with all twelve memory controllers, a bus of 6144 bits, and 50 MB with ten of
/// them; an H200 with 6016 bits reports 60. "Unchecked" is what no document was at hand for.
std::vector<DataSheet> all_sheets() {
  const Processors a100{108, 1410, 40};
  const char* const a100_source =
      "NVIDIA A100 Tensor Core GPU Architecture (whitepaper), comparison of data center GPUs: SMs, "
      "clock, L2; NVIDIA A100 Tensor Core GPU (data sheet): memory, NVLink 600 GB/s, PCIe Gen4 64 "
      "GB/s. Cards in PCIe slots: without NVLink bridge";
  return {
      sheet("a100-pcie-40gb", "NVIDIA A100-PCIE-40GB", ampere, a100, {1555, 40}, {32}, a100_source),
      sheet("a100-pcie-80gb", "NVIDIA A100 80GB PCIe", ampere, a100, {1935, 80}, {32}, a100_source),
      sheet("a100-sxm-40gb", "NVIDIA A100-SXM4-40GB", ampere, a100, {1555, 40}, {300}, a100_source),
      sheet("a100-sxm-80gb", "NVIDIA A100-SXM4-80GB", ampere, a100, {2039, 80}, {300}, a100_source),
      sheet(
          "b200", "NVIDIA B200", blackwell, {148, 1980, 126}, {7700, 180}, {900},
          "NVIDIA HGX B200 (data sheet): memory of 8 GPUs 1.4 TB, 62 TB/s, NVLink 1.8 TB/s; "
          "Blackwell Tuning Guide, 1.4.2: L2; SMs: the device; clock: databases, unchecked. Taken: "
          "7.7 TB/s, what its bus of 7680 bits at 3996 MHz gives, where 8 TB/s is printed too"),
      sheet(
          "gh200", "NVIDIA GH200 480GB", hopper, {132, 1980, 60}, {4000, 96}, {450},
          "NVIDIA GH200 Grace Hopper Superchip (data sheet): 96 GB HBM3, 4 TB/s, NVLink 900 GB/s; "
          "H100 whitepaper: SMs; L2 by the bus of 6144 bits and clock as an H200, unchecked. The "
          "version with HBM3e has 144 GB and 4.9 TB/s; of four on a board two share 150 GB/s"),
      sheet("h100-nvl", "NVIDIA H100 NVL", hopper, {132, 1785, 60}, {3938, 94}, {300, 2},
            "NVIDIA H100 Tensor Core GPU (data sheet): 94 GB, 3.9 TB/s, NVLink bridge of two 600 "
            "GB/s, SMs; NVIDIA H100 NVL GPU (product brief): clock and 3938 GB/s, unchecked; L2 by "
            "the bus of 6016 bits, where databases repeat the 50 MB of other H100s"),
      sheet("h100-pcie", "NVIDIA H100 PCIe", hopper, {114, 1755, 50}, {2000, 80}, {64},
            "NVIDIA H100 PCIe GPU (product brief PB-11133), overview: more than 2000 GB/s; NVIDIA "
            "H100 Tensor Core GPU Architecture (whitepaper): SMs, L2; clock: the device; PCIe Gen5 "
            "128 GB/s. A pair with an NVLink bridge has 600 GB/s: a link of 300"),
      sheet("h100-sxm", "NVIDIA H100 80GB HBM3", hopper, {132, 1980, 50}, {3350, 80}, {450},
            "NVIDIA H100 Tensor Core GPU (data sheet): 80 GB, 3.35 TB/s, NVLink 900 GB/s; NVIDIA "
            "H100 Tensor Core GPU Architecture (whitepaper): SMs, L2; clock: the driver, where "
            "1830 MHz follow from the peak performance"),
      sheet("h20", "NVIDIA H20", hopper, {78, 1980, 60}, {4000, 96}, {450},
            "No data sheet of NVIDIA's is public: resellers' specifications (96 GB HBM3, 4.0 TB/s, "
            "60 MB, NVLink 900 GB/s); SMs: a published benchmark; clock as an H200, unchecked"),
      sheet("h200", "NVIDIA H200", hopper, {132, 1980, 60}, {4800, 141}, {450},
            "NVIDIA H200 Tensor Core GPU (data sheet): 141 GB, 4.8 TB/s, NVLink 900 GB/s; SMs, "
            "clock, L2: the device"),
      sheet("l40s", "NVIDIA L40S", ada, {142, 2520, 96}, {864, 48}, {32},
            "NVIDIA L40S (data sheet): 48 GB, 864 GB/s, PCIe Gen4 64 GB/s, 18176 cores of 128 an "
            "SM; clock: resellers' specifications; NVIDIA Ada GPU Architecture (whitepaper): 96 MB "
            "of L2, where databases print 48, unchecked")};
}

}  // namespace

const std::vector<DataSheet>& data_sheets() {
  static const std::vector<DataSheet> all = all_sheets();
  return all;
}

const DataSheet& data_sheet(std::string_view name) {
  const auto found = std::ranges::find(data_sheets(), name, &DataSheet::name);
  if (found != data_sheets().end()) return *found;
  std::vector<std::string> known;
  for (const DataSheet& each : data_sheets()) known.push_back(each.name);
  throw Error("no data sheet of " + in_quotes(name) + "; " + hint_of_name(name, known));
}

const DataSheet* find_data_sheet_of(std::string_view device) {
  const auto found = std::ranges::find(data_sheets(), device, &DataSheet::device);
  return found == data_sheets().end() ? nullptr : &*found;
}

double taken_gbps(const DataSheet& gpu, double bytes_per_clock) {
  constexpr double megahertz = 1e-3;  // of a gigahertz
  return bytes_per_clock * gpu.multiprocessors * gpu.clock_mhz * megahertz;
}

double streamed_gbps(const DataSheet& gpu) {
  return std::min(gpu.bandwidth_gbps, taken_gbps(gpu));
}

int multiprocessors_of_whole(const DataSheet& gpu) {
  const DataSheet* const whole = find_data_sheet_of(gpu.device);
  // A part has the whole cache; a variant of the GPU, or an instance of it, has not.
  const bool part = whole != nullptr && whole->l2_mb == gpu.l2_mb;
  return part ? std::max(whole->multiprocessors, gpu.multiprocessors) : gpu.multiprocessors;
}

bool has_clusters(const DataSheet& gpu) {
  constexpr int first_with_clusters = 9;
  return std::atoi(gpu.compute_capability.c_str()) >= first_with_clusters;
}

}  // namespace sparsecast
