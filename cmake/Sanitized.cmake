# Everything under a sanitizer is a build of its own (`./test sanitize`). With HAPAX_SANITIZED_PART rooms that say SANITIZE
# address, or thread, are compiled a second time under it, with their tests unless they say ONLY_CODE: where bytes of
# strangers come in, what programs of users link, and where threads meet without a lock. What else these programs link
# is compiled as usual. Only the target hapax_sanitized builds them; their tests have the label `sanitized`. Without a
# sanitizer these tests are only built by the target hapax_unsanitized; with TWICE everybody builds both, since some are
# left out under it.

add_custom_target(hapax_sanitized)
add_custom_target(hapax_unsanitized)
set(hapax_sanitizers_of_address address,undefined)
set(hapax_sanitizers_of_thread thread)

# Lines for a report, and looking at each pointer before it is used, are a half of such a compilation: a report names the
# function, a null pointer is found anyway, and `./test sanitize` has both.
function(hapax_sanitize target kind)
  set(sanitizers -fsanitize=${hapax_sanitizers_of_${kind}})
  target_compile_options(${target} PRIVATE
    -O0 -g0 -w ${sanitizers} -fno-sanitize=null,vptr -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_compile_definitions(${target} PRIVATE HAPAX_SANITIZED)
  target_link_options(${target} PRIVATE ${sanitizers})
  if(NOT target STREQUAL hapax_precompiled_${kind})
    target_precompile_headers(${target} REUSE_FROM hapax_precompiled_${kind})
  endif()
endfunction()

function(hapax_sanitized_room name kind)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES" ${ARGN})
  if(ROOM_SOURCES)
    add_library(hapax_${name}_sanitized OBJECT EXCLUDE_FROM_ALL ${ROOM_SOURCES})
    target_link_libraries(hapax_${name}_sanitized PRIVATE ${ROOM_USES})
    hapax_sanitize(hapax_${name}_sanitized ${kind})
    set_property(GLOBAL APPEND PROPERTY hapax_${kind}_rooms hapax_${name}_sanitized)
  endif()
endfunction()

# Links the objects of all rooms so far that are compiled under the same sanitizer.
function(hapax_sanitized_test name kind)
  cmake_parse_arguments(ROOM "" "" "TESTS;USES" ${ARGN})
  set(test hapax_${name}_sanitized_test)
  if(kind STREQUAL thread)  # A model is of one thread.
    list(FILTER ROOM_TESTS EXCLUDE REGEX "_model_test\\.cc$")
  endif()
  get_property(rooms GLOBAL PROPERTY hapax_${kind}_rooms)
  add_executable(${test} EXCLUDE_FROM_ALL ${ROOM_TESTS})
  target_link_libraries(${test} PRIVATE
    ${rooms} ${ROOM_USES} GTest::gmock GTest::gtest_main rapidcheck)
  target_compile_definitions(${test} PRIVATE HAPAX_TESTDATA="${CMAKE_CURRENT_SOURCE_DIR}/testdata")
  hapax_sanitize(${test} ${kind})
  gtest_discover_tests(${test} TEST_SUFFIX " (${kind} sanitizer)" NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300 LABELS sanitized)
  add_dependencies(hapax_sanitized ${test})
endfunction()
