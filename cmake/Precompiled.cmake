# What most files include, compiled once: the tests build in two thirds of the time. Not for everyday
# work, where a forgotten #include should be noticed.
file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cc "")
add_library(hapax_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
target_link_libraries(hapax_precompiled PUBLIC hapax_flags fmt::fmt Boost::headers Threads::Threads)
target_precompile_headers(hapax_precompiled PRIVATE
  <algorithm> <array> <atomic> <chrono> <cstdint> <deque> <functional> <map> <memory> <mutex> <optional> <set> <span>
  <sstream> <string> <string_view> <system_error> <thread> <utility> <variant> <vector>
  <fmt/format.h> <fmt/ranges.h> <boost/system/result.hpp> <boost/unordered/unordered_flat_map.hpp>)
if(BUILD_TESTING)
  add_library(hapax_precompiled_tests OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
  target_link_libraries(hapax_precompiled_tests PUBLIC hapax_precompiled GTest::gmock rapidcheck)
  target_precompile_headers(hapax_precompiled_tests PRIVATE
    <algorithm> <array> <atomic> <chrono> <cstdint> <deque> <filesystem> <fstream> <functional> <map> <memory> <mutex>
    <optional> <regex> <set> <span> <sstream> <string> <string_view> <system_error> <thread> <utility> <variant> <vector>
    <fmt/format.h> <fmt/ranges.h> <boost/system/result.hpp> <boost/unordered/unordered_flat_map.hpp>
    <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h>)
endif()
