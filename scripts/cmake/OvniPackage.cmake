# Installs libovni with what finds it: a package for find_package(ovni), target ovni::ovni, and ovni.pc.

include(CMakePackageConfigHelpers)

set(ovni_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ovni)
install(TARGETS ovni EXPORT ovni LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT ovni NAMESPACE ovni:: FILE ovniConfig.cmake DESTINATION ${ovni_package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ovniConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ovniConfigVersion.cmake DESTINATION ${ovni_package_dir})

# The prefix as seen from where ovni.pc lies, so that the tree can be moved.
file(RELATIVE_PATH ovni_prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/ovni.pc.in ${CMAKE_CURRENT_BINARY_DIR}/ovni.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ovni.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The installed header knows the commit.
file(READ ${PROJECT_SOURCE_DIR}/include/ovni.h header)
string(REPLACE "#define OVNI_GIT_COMMIT \"unknown\"" "#define OVNI_GIT_COMMIT \"${OVNI_GIT_COMMIT}\"" header "${header}")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/ovni.h CONTENT "${header}" @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ovni.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
