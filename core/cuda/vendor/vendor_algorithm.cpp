#include "core/cuda/vendor/vendor_algorithm.hpp"

namespace sparsecast {

std::string_view to_string(VendorAlgorithm algorithm) {
  switch (algorithm) {
    case VendorAlgorithm::csr_alg1:
      return "cusparse-alg1";
    case VendorAlgorithm::csr_alg2:
      return "cusparse-alg2";
    case VendorAlgorithm::bsr:
      return "cusparse-bsr";
    case VendorAlgorithm::bsrmv:
      return "cusparse-bsrmv";
    case VendorAlgorithm::coo_alg1:
      return "cusparse-coo";
    case VendorAlgorithm::coo_alg2:
      return "cusparse-coo-alg2";
    case VendorAlgorithm::sell:
      return "cusparse-sell";
  }
  return "?";
}

}  // namespace sparsecast
