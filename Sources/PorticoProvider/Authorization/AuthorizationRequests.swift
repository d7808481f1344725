import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Reads the request at the authorization endpoint, including one that was pushed before (RFC 9126
/// §4).
struct AuthorizationRequests: Sendable {
    let pushed: PushedRequestStore
    let grants: GrantStore
    let spent: SpentRequests
    let ring: KeyRing

    static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"

    /// Starts a new flow for the request in `form`, and returns it with the request.
    func begin(
        _ form: FormParameters,
        in realm: LiveRealm,
        browser: Hash256,
        at moment: Moment
    ) async throws -> (AuthorizationFlow, ProvenRequest) {
        if let reference = form["request_uri"], reference.hasPrefix(Self.requestURIPrefix) {
            return try await beginPushed(reference, form, realm, browser, moment)
        }
        let proven = try ProvenRequest(
            form,
            in: realm,
            wasPushed: false,
            at: moment.seconds
        )
        let flow = AuthorizationFlow(
            requestID: moment.id(),
            parameters: FormEncoding.encode(proven.parameters.all),
            browser: browser,
            startedAt: moment.seconds
        )
        return (flow, proven)
    }

    /// The request of a pending flow, checked again because the registration may have changed (RFC
    /// 9126 §4). A pushed request that was answered in the meantime is refused, so that the person
    /// does not enter a password in vain.
    func resume(_ flow: AuthorizationFlow, in realm: LiveRealm, at moment: Moment) async throws
        -> ProvenRequest
    {
        let proven = try ProvenRequest(
            try FormParameters(decoding: flow.parameters),
            in: realm,
            wasPushed: flow.isPushed,
            at: moment.seconds
        )
        if flow.isPushed { try await refuseAnswered(flow.requestID, of: proven.client, moment) }
        return proven
    }

    /// RFC 9126 §4, §7.3: one code for each request; reloading before that does no harm.
    private func refuseAnswered(
        _ requestID: UniqueID,
        of client: Client,
        _ moment: Moment
    ) async throws {
        guard !spent.isSpent(requestID, at: moment.seconds),
            try await !grants.isAnswered(requestID: requestID)
        else {
            let error = OAuthError(.invalidRequestURI, "request_uri was used before.")
            throw AuthorizationRefusal.page(error, client: client.clientID, nil)
        }
    }

    private func beginPushed(
        _ reference: String,
        _ form: FormParameters,
        _ realm: LiveRealm,
        _ browser: Hash256,
        _ moment: Moment
    ) async throws -> (AuthorizationFlow, ProvenRequest) {
        let clientID: String
        do {
            // Parameters other than client_id and request_uri never override pushed ones: they are
            // ignored.
            clientID = try form.required("client_id")
            _ = try form.required("request_uri")
        } catch {
            throw AuthorizationRefusal.page(error, client: nil, .unknownClient)
        }
        let hash = Hash256(of: String(reference.dropFirst(Self.requestURIPrefix.count)))
        guard
            let request = try await pushed.pushedRequest(hash, realmID: realm.realm.id),
            // RFC 9126 §2.2: bound to the client that pushed it.
            let client = realm.client(clientID: clientID), client.id == request.clientID,
            moment.seconds < request.expiresAt,
            let encoded = PushedRequestSeal(ring: ring, realmID: realm.realm.id)
                .open(request.parameters, at: moment)
        else {
            let error = OAuthError(.invalidRequestURI, "request_uri is unknown or has expired.")
            throw AuthorizationRefusal.page(error, client: clientID, nil)
        }
        let proven = try ProvenRequest(
            try FormParameters(decoding: encoded),
            in: realm,
            wasPushed: true,
            at: moment.seconds
        )
        try await refuseAnswered(request.requestID, of: proven.client, moment)
        let flow = AuthorizationFlow(
            requestID: request.requestID,
            parameters: encoded,
            browser: browser,
            startedAt: moment.seconds,
            isPushed: true
        )
        return (flow, proven)
    }
}
