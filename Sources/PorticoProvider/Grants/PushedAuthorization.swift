import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Accepts an authorization request from the client before the browser sends it (RFC 9126 §2).
struct PushedAuthorization: Sendable {
    let pushed: PushedRequestStore
    let ring: KeyRing

    struct Answer: Sendable {
        let requestURI: String
        let expiresIn: Int64
        /// What was asked for and is not granted, see ``ClientRequest/leftOut``.
        let leftOut: [String]
    }

    /// The request is validated as at the authorization endpoint, and its errors are returned
    /// directly (RFC 9126 §2.1, §2.3).
    ///
    /// - Parameter admit: Called for a valid request, before it is stored.
    /// - Throws: ``OAuthError``; an unregistered redirect URI is `invalid_request`. What `admit`
    ///   throws.
    func callAsFunction(
        _ form: FormParameters,
        from client: AuthenticatedClient,
        in realm: LiveRealm,
        at moment: Moment,
        admit: () throws -> Void
    ) async throws -> Answer {
        guard form["request_uri"] == nil else {
            throw OAuthError(.invalidRequest, "request_uri must not be pushed.")
        }
        let parameters = FormParameters(
            try Self.withKey(client.proof, Self.withoutCredentials(form, client.client))
                + Self.authenticated(by: client.ownKey(in: realm))
        )
        do throws(AuthorizationRefusal) {
            _ = try AuthorizationTarget(parameters, of: client.client, in: realm)
        } catch {
            throw error.error
        }
        let asked = try await ClientRequest(
            parameters,
            of: client.client,
            in: realm,
            wasPushed: true,
            at: moment.seconds
        )
        let encoded = FormEncoding.encode(asked.parameters.all)
        guard encoded.count <= AuthorizationFlowSeal.longestRequest else {
            throw AuthorizationFlowSeal.tooLong
        }
        try admit()
        let reference = moment.random.text(32)
        let lifetime = realm.lifetimes.pushedRequest
        let request = PushedRequest(
            hash: Hash256(of: reference),
            realmID: realm.id,
            clientID: client.client.id,
            requestID: moment.id(),
            parameters: PushedRequestSeal(ring: ring, realmID: realm.id)
                .seal(encoded, at: moment),
            expiresAt: moment.seconds + lifetime
        )
        let uses = client.uses.take()
        if case .spentBefore(let kind) =
            try await pushed.push(request, spending: uses, at: moment.seconds)
        {
            throw client.refusal(ofRepeated: kind)
        }
        return Answer(
            requestURI: AuthorizationRequests.requestURIPrefix + reference,
            expiresIn: lifetime,
            leftOut: asked.leftOut
        )
    }

    /// A proof says what `dpop_jkt` says; where a request has both, they agree (RFC 9449 §10.1).
    private static func withKey(
        _ proof: DPoPProof?,
        _ parameters: [(name: String, value: String)]
    ) throws(OAuthError) -> [(name: String, value: String)] {
        guard let key = proof?.thumbprint.text else { return parameters }
        let named = parameters.filter { sameBytes($0.name, "dpop_jkt") }
        guard named.allSatisfy({ sameBytes($0.value, key) }) else {
            throw OAuthError(.invalidDPoPProof, "dpop_jkt is not the key of the proof.")
        }
        return named.isEmpty ? parameters + [("dpop_jkt", key)] : parameters
    }

    private static func authenticated(by key: String?) -> [(name: String, value: String)] {
        guard let key else { return [] }
        return [(AuthorizationRequest.clientKeyName, Base64URL.encode(Hash256(of: key).bytes))]
    }

    /// The parameters that describe the request. `client_id` is that of the authenticated client,
    /// whatever the body contains.
    private static func withoutCredentials(_ form: FormParameters, _ client: Client)
        -> [(name: String, value: String)]
    {
        let credentials = [
            "client_id", "client_secret", "client_assertion", "client_assertion_type",
            AuthorizationRequest.clientKeyName,
        ]
        return [("client_id", client.clientID)]
            + form.all.filter { !credentials.contains($0.name) }
    }
}
