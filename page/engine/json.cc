// Boost.JSON, as one translation unit.
#include <boost/json/src.hpp>
