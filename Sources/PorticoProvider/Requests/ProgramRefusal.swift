/// What a program gets at an address that is for people otherwise.
struct ProgramRefusal: Error {
    let error: any Error
}
