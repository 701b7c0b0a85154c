# The module that JavaScript loads, linked once per kind of host: `web` for bundlers, which fail where
# Node's branches are in the glue; `node`; `classic` for blob workers, which cannot be ES modules.

file(GLOB module_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bindings/*.cpp)
if(NOT module_sources)
  return()
endif()

add_library(headscope_module OBJECT ${module_sources})
target_include_directories(headscope_module PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(headscope_module PUBLIC headscope_core PRIVATE headscope_warnings)

# JavaScript says how many workers must be ready before the module is, and ends them with it.
set(pool_options)
if(HEADSCOPE_VARIANT MATCHES "-threads$")
  set(pool_options -sPTHREAD_POOL_SIZE=Module.poolSize -sEXPORTED_RUNTIME_METHODS=PThread)
endif()
target_compile_options(headscope_module PRIVATE -Oz ${HEADSCOPE_LINK_TIME})

function(add_wasm_module kind suffix environment)
  set(name module_${kind})
  add_executable(${name} $<TARGET_OBJECTS:headscope_module>)
  target_link_libraries(${name} PRIVATE headscope_core)
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME ${HEADSCOPE_VARIANT}.${kind} SUFFIX ${suffix}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/module)
  # -Oz is for Emscripten's own passes. What each function is optimised for, time or size, was said when it
  # was compiled, and goes into the link with it.
  target_link_options(${name} PRIVATE
    -Oz -sMALLOC=emmalloc -lembind -sDYNAMIC_EXECUTION=0 -sEMBIND_AOT=1 -sMODULARIZE=1 -sEXPORT_NAME=createHeadscope
    -sALLOW_MEMORY_GROWTH=1 -sFILESYSTEM=0 -sENVIRONMENT=${environment}
    -sINCOMING_MODULE_JS_API=wasmBinary,instantiateWasm,locateFile ${pool_options} ${ARGN})
endfunction()

add_wasm_module(web .mjs web,worker -sEXPORT_ES6=1)
add_wasm_module(node .mjs node -sEXPORT_ES6=1)
if(NOT HEADSCOPE_VARIANT MATCHES "-threads$")
  add_wasm_module(classic .js web,worker)
endif()
