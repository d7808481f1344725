import PorticoBytes
package import PorticoProtocol
package import PorticoSystem

/// What was last fetched of a provider, kept with a session: a start of the app needs no discovery
/// and no key set before its first refresh.
///
/// What came with `Cache-Control: no-store` (RFC 9111 §5.2.2.5) is not kept.
struct KnownProvider: Sendable {
    var metadata: Fetched<ProviderMetadata>?
    var keys: Fetched<JWKSet>?
    /// Where the keys came from.
    var keySetURI: String?

    struct Fetched<Value: Sendable>: Sendable {
        let value: Value
        let at: Date
        /// How long it is used without a new fetch, in seconds.
        let freshFor: TimeInterval
    }

    /// How long anything kept is used at all.
    static let life: TimeInterval = 30 * 24 * 3600
}

/// The storage format.
extension KnownProvider {
    var json: JSONObject {
        var json: JSONObject = [:]
        if let metadata {
            json["metadata"] = .object(metadata.value.json)
            json["metadata_at"] = NumericDate.value(metadata.at)
            json["metadata_fresh"] = .integer(Int64(metadata.freshFor))
        }
        if let keys, let keySetURI {
            json["keys"] = .array(keys.value.keys.map { .object($0.jwk.object) })
            json["keys_at"] = NumericDate.value(keys.at)
            json["keys_fresh"] = .integer(Int64(keys.freshFor))
            json["keys_uri"] = .string(keySetURI)
        }
        return json
    }

    /// Takes whatever is readable: what is missing is fetched.
    init(_ json: JSONObject, of issuer: Issuer) {
        // `try?`: the same checks as when it was fetched; what fails them is fetched again.
        metadata = Self.fetched("metadata", in: json) {
            json.object("metadata").flatMap { try? ProviderMetadata($0, of: issuer) }
        }
        keySetURI = json.string("keys_uri")
        keys = Self.fetched("keys", in: json) {
            json["keys"].flatMap { try? JWKSet(["keys": $0]) }
        }
    }

    private static func fetched<Value>(
        _ name: String,
        in json: JSONObject,
        _ value: () -> Value?
    ) -> Fetched<Value>? {
        guard let at = json["\(name)_at"].flatMap(NumericDate.date),
            let freshFor = json.int64("\(name)_fresh"), let value = value()
        else { return nil }
        return Fetched(value: value, at: at, freshFor: TimeInterval(min(max(freshFor, 0), 86_400)))
    }
}

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
