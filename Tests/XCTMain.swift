import Testing

/// Where the tests start. A file of this name takes the place of one that SwiftPM makes from the
/// compiler's index, and so a build for tests needs no index.
@main struct TestProgram {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
