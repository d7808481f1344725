package import PorticoProtocol
package import PorticoSystem

/// What is known of a provider in advance, including where it departs from the standards. An app's
/// provider departs only where ``SignInClient/Options`` allows it.
package struct ProviderProfile: Sendable {
    /// Accepts a provider that does not announce PKCE with S256 (docs/decisions/0032).
    package var pkceUnannounced = false
    /// Configured metadata, for a provider whose own is missing or wrong; discovery is then
    /// skipped.
    package var metadata: ProviderMetadata?
    /// Other spellings of the issuer in ID Tokens.
    package var otherIssuerNames: Set<String> = []
    /// The algorithms required for ID Tokens, whatever the metadata lists.
    package var algorithms: Set<SignatureAlgorithm>?
    /// The bounds for how long a key set is used, if its reply has `Cache-Control`; the upper bound
    /// if it has none. `nil`: five minutes in every case.
    package var keySetLife: ClosedRange<TimeInterval>?
    /// For the token endpoint and similar endpoints.
    package var tokenLimits = HTTPLimits(bytes: 256 * 1024, seconds: 30)
    /// Reads a token endpoint error that does not follow RFC 6749 §5.2.
    package var otherTokenError: @Sendable (HTTPReply) -> ErrorResponse? = { _ in nil }

    package init() {}
}
