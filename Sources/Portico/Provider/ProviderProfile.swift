package import PorticoProtocol

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What is known of a provider beforehand, and where it departs from the standards. An app's
/// provider departs nowhere, except for what ``SignInClient/Options`` names.
package struct ProviderProfile: Sendable {
    /// A provider that does not announce PKCE with S256 will do (docs/decisions/0032).
    package var pkceUnannounced = false
    /// Configured, for a provider whose own metadata is missing or wrong; nothing is discovered.
    package var metadata: ProviderMetadata?
    /// Other spellings of the issuer in ID Tokens.
    package var otherIssuerNames: Set<String> = []
    /// What ID Tokens must be signed with, whatever the metadata lists.
    package var algorithms: Set<SignatureAlgorithm>?
    /// For how long a key set is used where its reply says so by `Cache-Control`; the upper bound
    /// where it says nothing. `nil`: five minutes, whatever it says.
    package var keySetLife: ClosedRange<TimeInterval>?
    /// For the token endpoint and its like.
    package var tokenLimits = HTTPLimits(bytes: 256 * 1024, seconds: 30)
    /// Reads an error of the token endpoint that is not written as RFC 6749 §5.2 wants it.
    package var otherTokenError: @Sendable (HTTPReply) -> OAuthError.Code? = { _ in nil }

    package init() {}
}
