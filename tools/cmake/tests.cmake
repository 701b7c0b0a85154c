# One test binary from tests/cpp, native or as WebAssembly in Node; one of benchmarks from tests/bench;
# fuzzers from tests/fuzz.

add_library(headscope_catch2 STATIC ${HEADSCOPE_CATCH2_DIR}/catch_amalgamated.cpp)
target_include_directories(headscope_catch2 SYSTEM PUBLIC ${HEADSCOPE_CATCH2_DIR})
target_link_libraries(headscope_catch2 PUBLIC headscope_flags)

# The JSON headers lie in the system's include folder, which a WebAssembly build must not see: a link
# to them alone.
find_path(HEADSCOPE_JSON_DIR nlohmann/json.hpp PATHS /usr/include REQUIRED NO_CMAKE_FIND_ROOT_PATH)
set(json_include ${CMAKE_BINARY_DIR}/json-include)
file(MAKE_DIRECTORY ${json_include})
file(CREATE_LINK ${HEADSCOPE_JSON_DIR}/nlohmann ${json_include}/nlohmann SYMBOLIC)

# Emscripten's output for Node is CommonJS; the repository's "type": "module" must not reach it.
file(WRITE ${CMAKE_BINARY_DIR}/package.json "{ \"type\": \"commonjs\" }\n")

function(add_node_executable name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE headscope_core headscope_warnings)
  if(EMSCRIPTEN)
    target_link_options(${name} PRIVATE -sENVIRONMENT=node,worker -sNODERAWFS=1 -sEXIT_RUNTIME=1
      -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=64MB)
    if(HEADSCOPE_VARIANT MATCHES "-threads$")
      # main() on a thread of its own: Node's main thread must stay free to start and reuse workers.
      target_link_options(${name} PRIVATE -sPROXY_TO_PTHREAD=1 -sPTHREAD_POOL_SIZE=4)
    endif()
  endif()
endfunction()

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS tests/cpp/*.cpp)
if(test_sources)
  add_node_executable(headscope_tests ${test_sources})
  target_link_libraries(headscope_tests PRIVATE headscope_catch2)
  target_include_directories(headscope_tests PRIVATE tests/cpp)
  target_include_directories(headscope_tests SYSTEM PRIVATE ${json_include})
  target_compile_definitions(headscope_tests PRIVATE
    HEADSCOPE_FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures")
  enable_testing()
  add_test(NAME headscope_tests COMMAND headscope_tests)
endif()

file(GLOB bench_sources CONFIGURE_DEPENDS tests/bench/*.cpp)
if(bench_sources)
  add_node_executable(headscope_bench ${bench_sources})
endif()

# The whole core tells libFuzzer which branches an input takes. The compiler brings libFuzzer along.
option(HEADSCOPE_FUZZ "Build the fuzzers, which need clang" OFF)
if(HEADSCOPE_FUZZ)
  target_compile_options(headscope_flags INTERFACE -fsanitize=fuzzer-no-link)
  foreach(name checkpoint run)
    add_executable(headscope_${name}_fuzzer
      tests/fuzz/${name}_fuzzer.cpp tests/fuzz/fuzzed_model.cpp)
    target_link_libraries(headscope_${name}_fuzzer PRIVATE headscope_core headscope_warnings)
    target_link_options(headscope_${name}_fuzzer PRIVATE -fsanitize=fuzzer)
  endforeach()
endif()
