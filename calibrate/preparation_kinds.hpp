#pragma once

#include <string_view>

namespace sparsecast {

/// `Sample::kernel` of what is done once for a system, of which there is no spread and no curve.
inline constexpr std::string_view conversion = "Convert";
inline constexpr std::string_view matrix_upload = "Upload";
inline constexpr std::string_view vector_upload = "UploadVector";

constexpr bool is_preparation(std::string_view kernel) {
  return kernel == conversion || kernel == matrix_upload || kernel == vector_upload;
}

}  // namespace sparsecast
