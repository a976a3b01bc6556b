#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/estimate/data_sheet.hpp"

/// @file
/// What a data sheet says, by what CUDA and the driver say of a GPU that was there: so GPUs without
/// a data sheet, and parts of GPUs, can be set beside a relative. Ratios are of two such sheets.

namespace sparsecast {

/// A GPU that was there, as its profile or samples describe it.
struct DescribedDevice {
  std::string name;    ///< of the profile or file, for errors
  std::string device;  ///< as CUDA calls it
  std::int64_t memory_bytes = 0;
  std::map<std::string, std::string> environment;  ///< as `calibrate` writes it
};

/// Two transfers a clock of the memory's bus, GB/s; 0 where the environment does not say.
double memory_peak_gbps(const std::map<std::string, std::string>& environment);

/// The sheet of such a GPU, without a name. Multiply-adds in f64 are those of a known GPU of its
/// compute capability, 0 where there is none; its link is that of its data sheet, if there is one.
/// Throws `Error` in one line where the environment lacks a number.
DataSheet device_sheet(const DescribedDevice& gpu);

}  // namespace sparsecast
