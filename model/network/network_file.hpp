#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/network/network.hpp"

/// @file
/// Files of networks, NAME.network.json, beside profiles.

namespace sparsecast {

/// "mpi", "staged", "nccl", "gpu-aware".
std::string_view to_string(Transport transport);

/// Reads a text. Throws `Error` with `source`, the place and the reason, as `parse_profile` does.
Network parse_network(std::string_view json, const std::string& name, const std::string& source);

/// The text of a network's file. Throws `Error` for one that could not be read back.
std::string network_to_json(const Network& network);

/// The file of a path (it has a '/' or ends in .json), or of a name ("ndr400"), which is looked up
/// where profiles are (`find_profile`). Throws `Error` with the names that there are.
std::filesystem::path find_network(const std::string& name_or_path);

/// The names of the networks in these folders, sorted.
std::vector<std::string> network_names();

/// Reads the network of that file.
Network read_network(const std::string& name_or_path);

/// Writes the file whole or not at all.
void write_network(const std::filesystem::path& path, const Network& network);

}  // namespace sparsecast
