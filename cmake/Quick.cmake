# What makes a build from nothing quick. Not for everyday work, where a forgotten #include should be noticed.

# g++ looks for garbage each time it has doubled 128 MiB: a fifth of its time, and hardly any memory comes of it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=400000)
endif()
# Links in a third of GNU ld's time.
find_program(HAPAX_GOLD ld.gold)
if(HAPAX_GOLD)
  add_link_options(-fuse-ld=gold)
endif()

# What a shared library takes some rooms with (Libraries.cmake): who shares compiled headers compiles alike.
add_compile_options(-fPIC -fno-semantic-interposition)

# Where nothing is installed only the rooms in which time is spent are optimized, which halves the rest. (clang++'s quicker
# instruction selector and register allocator, -mllvm -fast-isel and -optimize-regalloc=false, break what cleans up after
# an exception.)
set(hapax_busy_rooms base core wire voting mutex catalog election locks view service memory world search check viewcheck
  redlock sim compare swarm)
set(hapax_calm_options "")
if(HAPAX_IN_PLACE)
  set(hapax_calm_options -O0)
endif()

# What most files include, compiled once.
file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cc "")
set(hapax_common_headers
  <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <cstdio> <deque> <filesystem> <functional> <map> <memory>
  <mutex> <optional> <set> <span> <sstream> <string> <string_view> <system_error> <thread> <utility> <variant> <vector>
  <fmt/format.h> <fmt/ranges.h> <boost/system/result.hpp> <boost/unordered/unordered_flat_map.hpp>)
# hapax_precompile(NAME USES libraries … HEADERS …): a target whose headers others take over.
function(hapax_precompile name)
  cmake_parse_arguments(PCH "" "" "USES;HEADERS" ${ARGN})
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
  target_link_libraries(${name} PUBLIC hapax_flags fmt::fmt Boost::headers Threads::Threads ${PCH_USES})
  target_precompile_headers(${name} PRIVATE ${hapax_common_headers} ${PCH_HEADERS})
endfunction()

set(hapax_test_headers <fstream> <regex> <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h>)
hapax_precompile(hapax_precompiled)
set(hapax_calm_headers hapax_precompiled)
if(HAPAX_IN_PLACE)
  set(hapax_calm_headers hapax_precompiled_calm)
  hapax_precompile(hapax_precompiled_calm)
  target_compile_options(hapax_precompiled_calm PRIVATE ${hapax_calm_options})
endif()
if(BUILD_TESTING)
  hapax_precompile(hapax_precompiled_tests USES GTest::gmock rapidcheck HEADERS ${hapax_test_headers})
  target_compile_options(hapax_precompiled_tests PRIVATE ${HAPAX_TEST_OPTIONS})
endif()
if(HAPAX_SANITIZED_PART)
  hapax_precompile(hapax_precompiled_address USES GTest::gmock rapidcheck HEADERS ${hapax_test_headers})
  hapax_sanitize(hapax_precompiled_address address)
  hapax_precompile(hapax_precompiled_thread USES GTest::gmock rapidcheck HEADERS ${hapax_test_headers})
  hapax_sanitize(hapax_precompiled_thread thread)
  set_target_properties(hapax_precompiled_address hapax_precompiled_thread PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
