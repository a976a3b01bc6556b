#pragma once

#include <string_view>

#include "core/engine/device_list.hpp"
#include "core/engine/ranks/communicator.hpp"

namespace sparsecast::cli {

/// The GPU of this rank in --device, a list of the GPUs of a host: of ranks on one host the first
/// one has the first, and so on; of a single one in the list each rank has that of its own list, as
/// launchers that show each rank its own GPU have it. Warns where two ranks have the same. Throws
/// `Error`, the same on all ranks, unless the list has one GPU or as many as there are ranks on
/// each host. All ranks call it.
GpuPart gpu_of_rank(Communicator& all, std::string_view list);

}  // namespace sparsecast::cli
