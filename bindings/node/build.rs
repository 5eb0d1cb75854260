//! Tells the linker that Node brings the functions of Node-API itself.

fn main() {
    napi_build::setup();
}
