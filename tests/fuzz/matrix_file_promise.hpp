#pragma once

#include <string>
#include <string_view>

namespace sparsecast {

/// Feeds any bytes to the readers of matrix files, which are told by content: each must give a
/// matrix in good order, or an error of one line that names the file and says what was expected.
/// Returns what is broken, or nothing.
std::string broken_promise(std::string_view bytes);

/// The same bytes with right checksums in the headers of tar archives and zip members (those that
/// are stored), as far as they can be found: random changes get past them to what they protect.
std::string with_right_checksums(std::string bytes);

}  // namespace sparsecast
