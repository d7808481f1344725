/// The provider that a stand-in imitates.
package enum StandInKind: String, CaseIterable, Hashable, Sendable {
    case google
    case facebook
    case apple
    /// An ordinary OpenID provider, found by discovery (OpenID Connect Discovery 1.0).
    case openID = "openid"

    /// The real provider's name on pages.
    package var name: String {
        switch self {
        case .google: "Google"
        case .facebook: "Facebook"
        case .apple: "Apple"
        case .openID: "an OpenID provider"
        }
    }

    /// The id of the application of a demo.
    package var demoClientID: String {
        switch self {
        case .google: "stand-in.apps.googleusercontent.com"
        case .facebook: "1000000000000001"
        case .apple: "com.example.stand-in.web"
        case .openID: "portico"
        }
    }

    /// How long a code is valid, in seconds: ten minutes at most (RFC 6749 §4.1.2), five at Apple.
    var codeLife: Double { self == .apple ? 300 : 600 }
}
