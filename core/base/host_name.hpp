#pragma once

#include <string>

namespace sparsecast {

/// That of the machine that this process runs on.
std::string host_name();

}  // namespace sparsecast
