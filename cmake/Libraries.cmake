# What programs link, made of the rooms behind include/hapax:
#   hapax::client   locks, elections and gates of a program that speaks to a daemon
#   hapax::engines  the same directly on an engine, with no daemon: Client{"etcd://…"}
#   hapax::sqlite   the gate in a SQLite database, besides
#   hapax::member   hapax::Node, a member inside the program, with the engines of this build
#   hapax::hapax    all of these
#   hapax::c        hapax/c.h, for C and whatever can call it: a shared library of its own
# Each is found by find_package(hapax COMPONENTS …), and by pkg-config as hapax-client and so on.
include(GNUInstallDirs)

# What a program that uses hapax::NAME compiles with, and where that is installed.
function(hapax_export name target)
  add_library(hapax::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${target} EXPORT hapax-${name}-targets
    ARCHIVE COMPONENT dev LIBRARY COMPONENT c NAMELINK_COMPONENT dev)
  install(EXPORT hapax-${name}-targets NAMESPACE hapax:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hapax COMPONENT dev)
endfunction()

# hapax_library(NAME ABOVE targets … ROOMS rooms …): one static library, libhapax-NAME, of these rooms and those behind
# them that are in none of the libraries above it. Sets HAPAX_PACKAGES_NAME, the packages that it links.
set_property(GLOBAL PROPERTY HAPAX_PLACED "")
function(hapax_library name)
  cmake_parse_arguments(LIBRARY "" "" "ABOVE;ROOMS" ${ARGN})
  list(TRANSFORM LIBRARY_ROOMS PREPEND hapax_)
  hapax_rooms_behind(rooms packages ${LIBRARY_ROOMS})
  get_property(placed GLOBAL PROPERTY HAPAX_PLACED)
  list(REMOVE_ITEM rooms ${placed})
  set_property(GLOBAL APPEND PROPERTY HAPAX_PLACED ${rooms})

  set(target hapax_${name}_library)
  add_library(${target} STATIC)
  foreach(room IN LISTS rooms)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${room}>)
    # A library of link-time intermediate code ties its users to this very compiler.
    set_target_properties(${room} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  endforeach()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME hapax-${name} LINKER_LANGUAGE CXX)
  target_link_libraries(${target} PUBLIC ${LIBRARY_ABOVE} PRIVATE ${packages})
  target_compile_features(${target} INTERFACE cxx_std_20)
  hapax_export(${name} ${target})
  set(HAPAX_PACKAGES_${name} ${packages} PARENT_SCOPE)
endfunction()

hapax_library(client ROOMS client gate)
hapax_library(engines ROOMS engines ABOVE hapax_client_library)
get_target_property(gateways hapax_engines INTERFACE_LINK_OPTIONS)
target_link_options(hapax_engines_library INTERFACE ${gateways})
hapax_library(sqlite ROOMS sqlite ABOVE hapax_client_library)
hapax_library(member ROOMS member ABOVE hapax_engines_library)
add_library(hapax_library INTERFACE)
target_link_libraries(hapax_library INTERFACE hapax_member_library hapax_sqlite_library)
hapax_export(hapax hapax_library)

# Its rooms are compiled for a place that is known only at run time; the linker undoes that for programs.
hapax_rooms_behind(rooms packages hapax_c_interface)
foreach(room IN LISTS rooms)
  target_compile_options(${room} PRIVATE -fPIC -fno-semantic-interposition)
endforeach()
if(NOT HAPAX_SANITIZE)  # Nobody could load it.
  set(symbols ${PROJECT_SOURCE_DIR}/src/c_interface/symbols.map)
  add_library(hapax_c SHARED $<TARGET_OBJECTS:hapax_c_interface>)
  target_link_libraries(hapax_c PRIVATE hapax_c_interface)
  # It never leaves a process: its threads may still be running. (gold exports some of libstdc++'s symbols.)
  target_link_options(hapax_c PRIVATE -fuse-ld=bfd LINKER:--version-script=${symbols} LINKER:-z,nodelete LINKER:--no-undefined)
  set_target_properties(hapax_c PROPERTIES
    OUTPUT_NAME hapax-c LINKER_LANGUAGE CXX LINK_DEPENDS ${symbols}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  hapax_export(c hapax_c)
endif()

# --- what else there is to install for programs ---

set(HAPAX_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/hapax)
install(DIRECTORY include/hapax DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev FILES_MATCHING PATTERN "*.h")
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/hapax-config.cmake.in hapax-config.cmake INSTALL_DESTINATION ${HAPAX_CMAKE_DIR})
write_basic_package_version_file(hapax-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hapax-config.cmake ${PROJECT_BINARY_DIR}/hapax-config-version.cmake
  DESTINATION ${HAPAX_CMAKE_DIR} COMPONENT dev)

# hapax_pkg_config(NAME "what it is" REQUIRES "other .pc files" LIBS "what to link")
# From where it lies to the prefix, so that the tree may be installed anywhere.
file(RELATIVE_PATH HAPAX_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
function(hapax_pkg_config name description)
  cmake_parse_arguments(PC "" "REQUIRES;LIBS" "" ${ARGN})
  configure_file(cmake/hapax.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endfunction()
# Boost has no .pc files; engines' libraries are linked by name.
set(by_name "")
foreach(package IN LISTS HAPAX_PACKAGES_engines)
  if(NOT package MATCHES "::")
    string(APPEND by_name " -l${package}")
  endif()
endforeach()
string(REPLACE "LINKER:" "-Wl," gateways "${gateways}")
hapax_pkg_config(hapax-client "Locks across machines with fences: a program that speaks to a daemon (C++20)"
  REQUIRES "fmt openssl" LIBS "-lhapax-client -pthread")
hapax_pkg_config(hapax-sqlite "A fence gate in a SQLite database (C++20)"
  REQUIRES "hapax-client sqlite3" LIBS "-lhapax-sqlite")
hapax_pkg_config(hapax-engines "Locks across machines with fences: directly on an engine, too (C++20)"
  REQUIRES "hapax-client sqlite3" LIBS "${gateways} -lhapax-engines${by_name}")
hapax_pkg_config(hapax-member "Locks across machines with fences: a member inside the program (C++20)"
  REQUIRES "hapax-engines" LIBS "-lhapax-member -lboost_json")
hapax_pkg_config(hapax "At most one, across machines: all of hapax (C++20)"
  REQUIRES "hapax-member hapax-sqlite")
hapax_pkg_config(hapax-c "Locks across machines with fences, for C" LIBS "-lhapax-c")
