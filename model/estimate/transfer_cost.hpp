#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/estimate/data_sheet.hpp"
#include "model/interval_ratios.hpp"

/// @file
/// What it costs to forecast one GPU with the profile of another, scaled by data sheets: found on
/// pairs of which both were there.

namespace sparsecast {

/// What is known of the GPU that a profile is for.
enum class Transfer : std::uint8_t {
  estimated,         ///< its data sheet
  measured_in_part,  ///< its device constants, measured in seconds (`calibrate --like`)
};

/// Forecasts by such a profile beside times measured on the GPU that it is for.
struct TransferCost {
  std::string_view from;  ///< name of a data sheet
  std::string_view to;
  std::string_view kind;  ///< as intervals have it: "iteration", "step", "persistent"
  int patterns = 0;       ///< matrices that no fit has seen
  /// 5 % and 95 % quantiles of measured / predicted time. Of what is measured in part, what these
  /// have beyond those of the GPU's own calibration: squares of logarithms are subtracted.
  double low = 1;
  double high = 1;
  std::string_view source;
};

/// All that were found.
std::span<const TransferCost> transfer_costs(Transfer transfer = Transfer::estimated);

/// 5 % and 95 % quantiles of measured over predicted time to expect of an estimate: the widest that
/// were found of this kind of prediction; where the two GPUs are of unlike compute capability,
/// which nobody has tried, those to the third power.
IntervalRatios transfer_spread(const DataSheet& from, const DataSheet& to, std::string_view kind,
                               Transfer transfer = Transfer::estimated);

/// The interval of a calibrated profile after a transfer: distances from its middle and those of
/// the spread from 1 are logarithms of independent causes, and add up as squares.
IntervalRatios widened(const IntervalRatios& calibrated, const IntervalRatios& spread);

}  // namespace sparsecast
