#pragma once

#include <string_view>

namespace sparsecast {

/// The products that cuSPARSE has.
enum class VendorAlgorithm {
  csr_alg1,  ///< `cusparseSpMV`, CSR, `CUSPARSE_SPMV_CSR_ALG1`
  csr_alg2,  ///< `cusparseSpMV`, CSR, `CUSPARSE_SPMV_CSR_ALG2`
  bsr,       ///< `cusparseSpMV` on N x N blocks
  bsrmv,     ///< `cusparse<t>bsrmv` on N x N blocks
};

/// "cusparse-alg1", "cusparse-alg2", "cusparse-bsr", "cusparse-bsrmv": the names in tables.
std::string_view to_string(VendorAlgorithm algorithm);

}  // namespace sparsecast
