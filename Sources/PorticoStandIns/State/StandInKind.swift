/// Whose manners a stand-in has.
package enum StandInKind: String, CaseIterable, Hashable, Sendable {
    case google
    case facebook
    case apple
    /// An OpenID provider like any other, found by discovery (OpenID Connect Discovery 1.0).
    case openID = "openid"

    /// As pages call the provider that is stood in for.
    package var name: String {
        switch self {
        case .google: "Google"
        case .facebook: "Facebook"
        case .apple: "Apple"
        case .openID: "an OpenID provider"
        }
    }

    /// How long a code is good, in seconds: ten minutes at most (RFC 6749 §4.1.2), five at Apple.
    var codeLife: Double { self == .apple ? 300 : 600 }
}
