#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// What data sheets say of GPUs: numbers that are the same for every one of a kind. Only ratios of
/// two of them are used (`model/estimate/relative_profile.hpp`), never one beside a measured
/// number.

namespace sparsecast {

/// A GPU by its data sheet.
struct DataSheet {
  std::string name;                ///< "h100-pcie"; empty: numbers that a user gave
  std::string device;              ///< as CUDA calls it, "NVIDIA H100 PCIe"; empty: unknown
  int multiprocessors = 0;         ///< SMs
  double clock_mhz = 0;            ///< highest of the multiprocessors
  double bandwidth_gbps = 0;       ///< of the device's memory
  double l2_mb = 0;                ///< of the whole device
  double memory_gb = 0;            ///<
  double link_gbps = 0;            ///< to another GPU, in one direction; 0: unknown
  int link_devices = 0;            ///< that the link joins, at most; 0: as many as a machine has
  std::string compute_capability;  ///< "9.0"
  std::int64_t shared_bytes_per_block = 0;  ///< that a kernel may ask for
  int threads_per_multiprocessor = 0;
  int f64_per_clock = 0;  ///< multiply-adds in f64 of a multiprocessor in a clock
  std::string source;     ///< titles of documents, and which number was taken where they differ

  friend bool operator==(const DataSheet&, const DataSheet&) = default;
};

/// All that ship, by name.
const std::vector<DataSheet>& data_sheets();

/// That of a name. Throws `Error` with the one that was probably meant.
const DataSheet& data_sheet(std::string_view name);

/// That of a device by the name that CUDA gives it; null where there is none.
const DataSheet* find_data_sheet_of(std::string_view device);

/// What a multiprocessor streams from the L2 cache and memory, bytes a clock: 8, 16, 32, 64 and 132
/// of an H100 stream 1090, 2160, 2850, 3120 and 3080 GB/s from memory.
inline constexpr double streamed_bytes_per_clock = 68;

/// So many bytes a clock of each multiprocessor, GB/s.
double taken_gbps(const DataSheet& gpu, double bytes_per_clock = streamed_bytes_per_clock);

/// What they stream from memory: its bandwidth, or what few of them take.
double streamed_gbps(const DataSheet& gpu);

/// Multiprocessors of the whole GPU: of a part of one whose data sheet is known, more than it has.
int multiprocessors_of_whole(const DataSheet& gpu);

/// Whether thread blocks of the device can be a cluster: from compute capability 9.0 on.
bool has_clusters(const DataSheet& gpu);

}  // namespace sparsecast
