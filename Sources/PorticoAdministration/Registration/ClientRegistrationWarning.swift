import PorticoBytes
import PorticoProtocol
import PorticoStores

extension ClientRegistration {
    /// A setting that is allowed but not recommended.
    package enum Warning: Hashable, Sendable {
        case shortSecret
        case development
        case pkceOptional
        case longAccessToken
        case tokenEndpointAudience
        case silentLoginToken
        case sessionInAddress
        /// Another client of the realm registers the same private-use scheme.
        case sharedScheme(scheme: String, clientID: String)

        /// One English sentence for the administrator.
        package var words: StaticString {
            switch self {
            case .shortSecret: "The chosen secret is shorter than 16 characters: it can be guessed."
            case .development:
                "The development switch admits redirects that any app on a device can receive."
            case .pkceOptional: "PKCE is optional for this client: a stolen code can be redeemed."
            case .longAccessToken:
                "Access tokens of more than an hour are long to lose (RFC 6750 5.3)."
            case .tokenEndpointAudience:
                "Assertions may name the token endpoint: one made for a server that claims this endpoint as its own is good here, too."
            case .silentLoginToken:
                "A link with a login token of this client signs in without asking: anyone can send such a link."
            case .sessionInAddress:
                "The app gets its session in the address it is opened with: anyone who sees that address has the session. Prefer --hand-off code."
            case .sharedScheme:
                "Two apps register one private-use scheme: either can receive the other's code (RFC 8252 7.1)."
            }
        }
    }

    static func warnings(about client: Client, schemes: [String: [String]]) -> [Warning] {
        var warnings: [Warning] = []
        if client.isDevelopment { warnings.append(.development) }
        if client.codeProtection == .none, client.grantTypes.contains(.authorizationCode) {
            warnings.append(.pkceOptional)
        }
        if client.accessTokenLifetime ?? 0 > 3600 { warnings.append(.longAccessToken) }
        if client.takesTokenEndpointAudience { warnings.append(.tokenEndpointAudience) }
        if client.loginTokenTargets.contains(where: \.isSilent) {
            warnings.append(.silentLoginToken)
        }
        if client.handOff.form == .sessionToken { warnings.append(.sessionInAddress) }
        for scheme in client.privateUseSchemes.sorted() {
            for other in schemes[scheme] ?? [] where !sameBytes(other, client.clientID) {
                warnings.append(.sharedScheme(scheme: scheme, clientID: other))
            }
        }
        return warnings
    }
}
