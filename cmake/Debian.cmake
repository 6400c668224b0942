# Debian packages by CPack: scripts/package builds them.
find_program(HAPAX_GZIP gzip)
if(NOT HAPAX_SERVICE OR NOT HAPAX_GZIP)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The hapax developers <hapax@lists.example.org>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL hapax engines lab dev c python)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_SET_DESTDIR ON)  # Some of it is installed outside of /usr.
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianTree.cmake)

# hapax_debian(COMPONENT PACKAGE SECTION "summary" "more, in lines"): with what every package has to say of itself, and
# what is in packaging/debian/PACKAGE.
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # Of the commit: $SOURCE_DATE_EPOCH.
string(TIMESTAMP HAPAX_YEAR %Y UTC)
configure_file(packaging/debian/copyright.in debian/copyright @ONLY)
file(WRITE ${PROJECT_BINARY_DIR}/debian/changelog.Debian "hapax (${version}) unstable; urgency=medium

  * See changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
configure_file(CHANGELOG.md debian/changelog COPYONLY)
foreach(file IN ITEMS changelog.Debian changelog)
  execute_process(COMMAND ${HAPAX_GZIP} -9nf ${PROJECT_BINARY_DIR}/debian/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
macro(hapax_debian component package section summary description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}")
  install(FILES ${PROJECT_BINARY_DIR}/debian/copyright ${PROJECT_BINARY_DIR}/debian/changelog.Debian.gz
    ${PROJECT_BINARY_DIR}/debian/changelog.gz DESTINATION share/doc/${package} COMPONENT ${component})
  set(own ${PROJECT_SOURCE_DIR}/packaging/debian/${package})
  file(GLOB CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA
    ${own}/conffiles ${own}/postinst ${own}/postrm ${own}/prerm ${own}/shlibs ${own}/symbols ${own}/triggers)
  # What lintian finds, and why it is as it should be.
  file(READ packaging/debian/overrides overrides)
  if(EXISTS ${own}/overrides)
    file(READ ${own}/overrides more)
    string(APPEND overrides "${more}")
  endif()
  file(WRITE ${PROJECT_BINARY_DIR}/debian/overrides/${package} "${overrides}")
  install(FILES ${PROJECT_BINARY_DIR}/debian/overrides/${package} DESTINATION share/lintian/overrides
    COMPONENT ${component})
endmacro()

hapax_debian(hapax hapax net "at most one, across machines: locks with fences"
"Named locks, shared locks, semaphores and leader elections that hold across
processes and machines, for shell scripts and, through its libraries, for
programs. Every grant carries a fence, a number by which storage refuses a
holder that comes too late. Members find one another through etcd, ZooKeeper,
a file, or a fixed list.
.
This package has the command line, and the daemon of this machine.")
set(CPACK_DEBIAN_HAPAX_PACKAGE_DEPENDS
  "systemd | systemd-standalone-sysusers | systemd-sysusers, init-system-helpers (>= 1.54~)")
set(CPACK_DEBIAN_HAPAX_PACKAGE_RECOMMENDS "hapax-engines")
set(CPACK_DEBIAN_HAPAX_PACKAGE_SUGGESTS "hapax-lab")

hapax_debian(engines hapax-engines net "at most one, across machines: etcd and ZooKeeper as engines"
"What hapax node hands over to if the members of its group find one another
through etcd or ZooKeeper; and hapax run and the like, if they take their locks
there themselves.")
set(CPACK_DEBIAN_ENGINES_PACKAGE_DEPENDS "hapax (= ${version})")

hapax_debian(lab hapax-lab science "laboratory of distributed mutual exclusion"
"The algorithms behind hapax's locks, simulated, measured against their
formulas, model-checked, replayed and drawn: hapax sim, hapax check,
hapax compare, hapax trace and so on.")
set(CPACK_DEBIAN_LAB_PACKAGE_DEPENDS "hapax (= ${version})")

hapax_debian(c libhapax-c0 libs "locks across machines with fences, for C"
"What programs in C, and in languages that can call it, use to take the locks
of a hapax group, and to hear of their loss.")
set(CPACK_DEBIAN_C_PACKAGE_SUGGESTS "hapax")

hapax_debian(dev libhapax-dev libdevel "locks across machines with fences, for C++ and C (development files)"
"Headers, static libraries for C++20, and what CMake and pkg-config need to
find them.
.
A program that speaks to a daemon needs hapax-client and what this package
depends on. One that is a member of its group itself, or has a fence gate in
a SQLite database, needs what it recommends as well.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libhapax-c0 (= ${version}), libfmt-dev, libssl-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS
  "libsqlite3-dev, libboost-json1.81-dev, libgrpc++-dev, libprotobuf-dev, libzookeeper-mt-dev")

hapax_debian(python python3-hapax python "locks across machines with fences, for Python 3"
"with hapax.Lock(\"orders/42\") as fence: … takes a lock of a hapax group, and
gives it back. A module of the standard library's ctypes on libhapax-c.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.7), libhapax-c0 (>= ${PROJECT_VERSION})")
include(CPack)
