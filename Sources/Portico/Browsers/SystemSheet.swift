/// What this system has to sign in with.
enum SystemSheet {
    /// The sheet that needs nothing of the app but a redirect.
    static var standard: (any BrowserSheet)? {
        #if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
            AuthenticationSheet(anchor: nil, isEphemeral: false)
        #else
            nil
        #endif
    }

    /// Whether a loopback port is of no use: an app that is not in front is soon suspended there,
    /// and cannot answer on it.
    static var isOnlyMethod: Bool {
        #if canImport(UIKit) && !targetEnvironment(macCatalyst)
            true
        #else
            false
        #endif
    }
}
