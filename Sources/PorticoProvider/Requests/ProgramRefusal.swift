/// The answer to a program at an address for people.
struct ProgramRefusal: Error {
    let error: any Error
}
