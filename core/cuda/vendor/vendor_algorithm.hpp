#pragma once

#include <string_view>

namespace sparsecast {

/// The products that cuSPARSE has.
enum class VendorAlgorithm {
  csr_alg1,  ///< `cusparseSpMV`, CSR, `CUSPARSE_SPMV_CSR_ALG1`
  csr_alg2,  ///< `cusparseSpMV`, CSR, `CUSPARSE_SPMV_CSR_ALG2`
  bsr,       ///< `cusparseSpMV` on N x N blocks
  bsrmv,     ///< `cusparse<t>bsrmv` on N x N blocks
  coo_alg1,  ///< `cusparseSpMV`, COO, `CUSPARSE_SPMV_COO_ALG1`
  coo_alg2,  ///< `cusparseSpMV`, COO, `CUSPARSE_SPMV_COO_ALG2`
  sell,      ///< `cusparseSpMV` on sliced ELL
};

/// "cusparse-alg1", "cusparse-alg2", "cusparse-bsr", "cusparse-bsrmv", "cusparse-coo",
/// "cusparse-coo-alg2", "cusparse-sell": the names in tables.
std::string_view to_string(VendorAlgorithm algorithm);

}  // namespace sparsecast
