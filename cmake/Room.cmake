# One target per room: hapax_room(NAME USES other rooms … LIBRARIES packages …).
# Every *.cc of the folder belongs to it. Unit tests stand beside the code: every *_test.cc becomes part of
# one binary, hapax_NAME_test; with ONE_TEST it is run as a whole, since it starts servers that all of its
# tests share. With SANITIZE see Sanitized.cmake.

add_library(hapax_flags INTERFACE)
target_compile_options(hapax_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ 12 sees the unset alternative of a std::variant that holds a pointer as "maybe uninitialized", and, when
  # it optimizes, strings of half the address space in what std::string does inside.
  target_compile_options(hapax_flags INTERFACE
    -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
else()
  # `<<` and `==` in HAPAX_CHECK, which shows the operands of what is wrong.
  target_compile_options(hapax_flags INTERFACE -Wno-overloaded-shift-op-parentheses)
endif()
target_include_directories(hapax_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
if(HAPAX_SANITIZE)
  # No warnings there: sanitizers blur what the optimizer sees, and the other builds look for them.
  target_compile_options(hapax_flags INTERFACE
    -fsanitize=${HAPAX_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -w)
  target_link_options(hapax_flags INTERFACE -fsanitize=${HAPAX_SANITIZE})
  target_compile_definitions(hapax_flags INTERFACE HAPAX_SANITIZED)  # Memory is no measure there.
endif()

function(hapax_compile_as_test target)
  target_compile_options(${target} PRIVATE ${HAPAX_TEST_OPTIONS})
  if(HAPAX_QUICK)
    target_precompile_headers(${target} REUSE_FROM hapax_precompiled_tests)
  endif()
endfunction()

# Files that are objects of their own even where those of a room are compiled together: `hapax run` takes only these, and so
# loads none of the others' libraries.
function(hapax_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# The rooms that the given targets are built on, with themselves, that have something to link; and the
# packages that these need.
function(hapax_rooms_behind rooms_out packages_out)
  set(todo ${ARGN})
  set(seen "")
  set(rooms "")
  set(packages "")
  while(todo)
    list(POP_FRONT todo target)
    if(target IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${target})
    if(NOT target MATCHES "^hapax_")
      list(APPEND packages ${target})
      continue()
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND rooms ${target})
    endif()
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(APPEND todo ${links})
    endif()
  endwhile()
  list(REMOVE_ITEM packages Boost::headers)  # Of no use after compiling.
  set(${rooms_out} ${rooms} PARENT_SCOPE)
  set(${packages_out} ${packages} PARENT_SCOPE)
endfunction()

# Of an inline function that several files have, the linker takes the first. Tests that are not optimized come before the
# rooms that they test, and would make these slow (hapax_swarm_test by 60 %): so the rooms are named before them.
function(hapax_prefer_code_of_rooms test)
  if(HAPAX_TEST_OPTIONS)
    set(known "")
    foreach(target IN LISTS ARGN)
      if(TARGET ${target})  # Tests may use rooms that come later.
        list(APPEND known ${target})
      endif()
    endforeach()
    hapax_rooms_behind(rooms packages ${known})
    list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_FILE:\\1>")
    target_link_options(${test} PRIVATE LINKER:--whole-archive ${rooms} LINKER:--no-whole-archive)
  endif()
endfunction()

function(hapax_room name)
  cmake_parse_arguments(ROOM "ONE_TEST;ONLY_CODE;TWICE" "SANITIZE" "USES;LIBRARIES;TEST_USES" ${ARGN})
  list(TRANSFORM ROOM_USES PREPEND hapax_)
  list(TRANSFORM ROOM_TEST_USES PREPEND hapax_)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(hapax_${name} STATIC ${sources})
    target_link_libraries(hapax_${name} PUBLIC hapax_flags ${ROOM_USES} ${ROOM_LIBRARIES})
    set(headers hapax_precompiled)
    if(NOT name IN_LIST hapax_busy_rooms)
      target_compile_options(hapax_${name} PRIVATE ${hapax_calm_options})
      set(headers ${hapax_calm_headers})
    endif()
    if(HAPAX_QUICK)
      target_precompile_headers(hapax_${name} REUSE_FROM ${headers})
    endif()
  else()
    add_library(hapax_${name} INTERFACE)
    target_link_libraries(hapax_${name} INTERFACE hapax_flags ${ROOM_USES} ${ROOM_LIBRARIES})
  endif()
  if(BUILD_TESTING AND tests)
    add_executable(hapax_${name}_test ${tests})
    target_link_libraries(hapax_${name}_test PRIVATE
      hapax_${name} ${ROOM_TEST_USES} GTest::gmock GTest::gtest_main rapidcheck)
    hapax_compile_as_test(hapax_${name}_test)
    target_compile_definitions(hapax_${name}_test PRIVATE
      HAPAX_TESTDATA="${CMAKE_CURRENT_SOURCE_DIR}/testdata")
    hapax_prefer_code_of_rooms(hapax_${name}_test hapax_${name} ${ROOM_TEST_USES})
    if(ROOM_ONE_TEST)
      add_test(NAME ${name} COMMAND hapax_${name}_test --gtest_brief=1)
      set_tests_properties(${name} PROPERTIES TIMEOUT 300 COST 100 SKIP_REGULAR_EXPRESSION "no .* to test against")
    else()
      gtest_discover_tests(hapax_${name}_test NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
    endif()
    if(HAPAX_SANITIZED_PART AND ROOM_SANITIZE)
      hapax_sanitized_room(${name} ${ROOM_SANITIZE} SOURCES ${sources} USES hapax_flags ${ROOM_USES} ${ROOM_LIBRARIES})
      if(NOT ROOM_ONLY_CODE)
        if(NOT ROOM_TWICE)
          set_target_properties(hapax_${name}_test PROPERTIES EXCLUDE_FROM_ALL ON)
          add_dependencies(hapax_unsanitized hapax_${name}_test)
        endif()
        hapax_sanitized_test(${name} ${ROOM_SANITIZE} TESTS ${tests} USES hapax_${name} ${ROOM_TEST_USES})
      endif()
    endif()
  endif()
endfunction()

# hapax_program(NAME FILES names … USES rooms …): these, or every *.cc of the folder, as an executable. All stand
# in one folder: hapax looks for hapax-commands, hapax-engines and hapax-lab beside itself.
function(hapax_program name)
  cmake_parse_arguments(PROGRAM "" "" "FILES;USES" ${ARGN})
  list(TRANSFORM PROGRAM_USES PREPEND hapax_)
  set(sources ${PROGRAM_FILES})
  if(NOT sources)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${PROGRAM_USES})
  target_compile_options(${name} PRIVATE ${hapax_calm_options})
  if(HAPAX_QUICK)
    target_precompile_headers(${name} REUSE_FROM ${hapax_calm_headers})
  endif()
  set(folder ${PROJECT_BINARY_DIR}/src/cli)
  if(HAPAX_BINARY_DIR)
    set(folder ${HAPAX_BINARY_DIR})
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${folder})
endfunction()
