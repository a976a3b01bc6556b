#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/engine/ranks/communicator.hpp"

namespace sparsecast {

/// Some of the ranks, numbered from 0 in the order in which they are chosen. They alone call it.
class ChosenRanks final : public Communicator {
 public:
  /// `chosen`: different ranks of `all`, this one among them. Keeps a reference to `all`.
  ChosenRanks(Communicator& all, std::vector<int> chosen)
      : all_(all),
        chosen_(std::move(chosen)),
        rank_(static_cast<int>(std::ranges::find(chosen_, all.rank()) - chosen_.begin())) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(chosen_.size()); }
  bool knows_gpu_memory() const override { return all_.knows_gpu_memory(); }

  void exchange(std::span<const OutgoingBytes> out, std::span<const IncomingBytes> in) override {
    out_.assign(out.begin(), out.end());
    in_.assign(in.begin(), in.end());
    for (OutgoingBytes& each : out_) each.to = chosen_[static_cast<std::size_t>(each.to)];
    for (IncomingBytes& each : in_) each.from = chosen_[static_cast<std::size_t>(each.from)];
    all_.exchange(out_, in_);
  }

 private:
  Communicator& all_;
  const std::vector<int> chosen_;
  const int rank_;
  std::vector<OutgoingBytes> out_;  ///< of the exchange that is going on
  std::vector<IncomingBytes> in_;
};

}  // namespace sparsecast
