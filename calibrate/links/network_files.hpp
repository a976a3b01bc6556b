#pragma once

#include <filesystem>
#include <string>

#include "calibrate/links/link_sample.hpp"
#include "model/network/network.hpp"

namespace sparsecast {

/// The files of a measured network, side by side.
struct NetworkFiles {
  std::filesystem::path network;  ///< NAME.network.json
  std::filesystem::path samples;  ///< NAME.links.csv.gz

  /// NAME.
  std::string name() const;
};

/// Those of a network. Throws `Error` for a name that does not end in .network.json.
NetworkFiles network_files(const std::filesystem::path& network);

/// Writes both: neither takes its place before both are on the disk. Without samples (null) the
/// network alone.
void write_measured_network(const NetworkFiles& files, const Network& network,
                            const LinkSampleFile* samples);

}  // namespace sparsecast
