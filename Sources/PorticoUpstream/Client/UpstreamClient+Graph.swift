import Portico
import PorticoBytes
import PorticoProtocol

extension UpstreamClient {
    /// - Throws: misconfigured without an app secret.
    func graphAPI() throws(SignInError) -> FacebookGraph {
        guard let base = provider.graph, case .text(let secret)? = secret else {
            throw SignInError(.misconfigured(.providerSecret))
        }
        return FacebookGraph(base: base, appID: provider.clientID, appSecret: secret, http: http)
    }

    /// Identifies the person through the Graph API, with a token received directly from it
    /// (PRV-F-3).
    func profiled(by flow: CodeFlow, _ code: SecretText) async throws(SignInError)
        -> ProvenPerson
    {
        let tokens = try await flow.redeemUnidentified(code).tokens
        let claims = try await graphAPI().profile(with: tokens.accessToken)
        var person = try person(profiledBy: claims)
        person.take(tokens, receivedAt: http.now())
        return person
    }

    func person(profiledBy claims: JSONObject) throws(SignInError) -> ProvenPerson {
        guard let subject = claims.string("sub") else { throw SignInError(.rejected(.profile)) }
        return ProvenPerson(claims, subject: subject, of: provider)
    }
}
