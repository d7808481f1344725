#if canImport(UIKit)
    import PorticoSystem
    import UIKit
#endif

extension Redirect {
    /// What suits the system: ``loopback(path:port:)``; on iOS, tvOS, watchOS and visionOS the
    /// bundle identifier as a private-use scheme, such as `com.example.app:/callback`.
    ///
    /// An app extension has a bundle identifier of its own: name the redirect in both.
    public static var standard: Redirect {
        #if canImport(UIKit) && !targetEnvironment(macCatalyst)
            .scheme("\(Bundle.main.bundleIdentifier ?? ""):/callback")
        #else
            .loopback()
        #endif
    }
}
