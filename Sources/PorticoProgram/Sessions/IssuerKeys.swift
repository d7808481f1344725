import HTTPTypes
import Portico
import PorticoProtocol

/// Fetches the keys of any issuer, to check a token.
struct IssuerKeys {
    let transport: any HTTPTransport

    func check(_ token: JWT, _ issuer: String) async -> TokenInspection.Signature {
        let metadata: ProviderMetadata
        var options = SignInClient.Options.allowInsecureLoopback
        // This is no sign-in.
        options.pkceUnannounced = true
        do {
            metadata = try await SignInClient(
                issuer: issuer,
                clientID: SessionChoice.standardClientID,
                options: options,
                transport: transport
            ).provider()
        } catch {
            return .unchecked("\(error)")
        }
        guard let uri = metadata.keySetURI, let address = HTTPAddress(uri) else {
            return .unchecked("The issuer publishes no keys.")
        }
        do {
            let reply = try await transport.send(
                HTTPRequest(.get, to: address),
                body: [],
                limits: HTTPLimits(bytes: 256 * 1024, seconds: 10)
            )
            guard reply.response.status == .ok else {
                return .unchecked("The issuer's keys cannot be fetched.")
            }
            let keys = try JWKSet(parsing: reply.body)
            _ = try token.verified(
                by: keys.keys,
                allowing: Set(SignatureAlgorithm.allCases),
                types: Set(JWTType.allCases)
            )
            return .valid
        } catch let error as JOSEError {
            return .invalid("\(error)")
        } catch {
            return .unchecked("\(error)")
        }
    }
}
