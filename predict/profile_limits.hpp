#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/precision.hpp"
#include "core/workload/layout.hpp"
#include "model/profile/device_profile.hpp"

/// @file
/// What a profile cannot say, or is known to say wrongly.

namespace sparsecast {

/// How the profile came about, for a line that names it: "measured", "published constants", "an
/// estimate", "estimated from nvidia-h200 by data sheets; nobody has measured it", "measured in
/// part, kernels as on nvidia-h200".
std::string origin_text(const DeviceProfile& profile);

/// What joins its devices, for a line: "network ndr400: InfiniBand NDR ..., 8 devices a host; by
/// data sheets".
std::string network_text(const Network& network);

/// The network that joins devices of these profiles; null where none does.
const Network* common_network(std::span<const DeviceProfile> profiles);

/// Joins devices of the profiles by a network. Where it joins those of some profiles only, as it
/// does not know what carries messages between the others' (MPI between CPUs), the others stay
/// alone: a sentence for each is returned.
std::vector<std::string> join(std::span<DeviceProfile> profiles, const Network& network);

/// Whether the profile can price iterations on more than one device: a CPU without a network is
/// one.
bool prices_several_devices(const DeviceProfile& profile);

/// Says that so many devices are more than the machine of the profile has; empty where they are
/// not, and where that is not known.
std::string machine_warning(const DeviceProfile& profile, int devices);

/// Says that an estimate is of a GPU whose arithmetic in f64 is far slower than the relative's,
/// which the model does not price; empty where it is not, and in f32.
std::string arithmetic_warning(const DeviceProfile& profile, Precision precision);

/// Says that the profile's own interval does not hold the times that equations 3 to 11 forecast in
/// a layout on so many devices; empty where it does, and by the traffic model.
std::string bias_warning(const DeviceProfile& profile, Precision precision, const Layout& layout,
                         int devices);

}  // namespace sparsecast
