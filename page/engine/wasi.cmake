# Debian's clang for WebAssembly: packages clang lld libc++-dev-wasm32 libclang-rt-dev-wasm32 wasi-libc.
set(CMAKE_SYSTEM_NAME Generic)  # CMake knows no WASI, and says so each time.
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_AR llvm-ar)
