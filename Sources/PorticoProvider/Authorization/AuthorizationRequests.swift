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
    let documents: ClientDocuments

    static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"

    /// Starts a new flow for the request in `form`, and returns it with the request.
    ///
    /// - Parameter address: Of who asks: a client's document may be fetched for them.
    /// - Throws: ``AuthorizationRefusal``; ``TooManyRequests``, with nothing fetched.
    func begin(
        _ form: FormParameters,
        in realm: LiveRealm,
        browser: Hash256,
        from address: String,
        at moment: Moment
    ) async throws -> (AuthorizationFlow, ProvenRequest) {
        if let reference = form["request_uri"], reference.hasPrefix(Self.requestURIPrefix) {
            return try await beginPushed(
                reference,
                form,
                in: realm,
                browser: browser,
                from: address,
                at: moment
            )
        }
        if let clientID = form["client_id"], try await realm.takesDocument(clientID: clientID) {
            // Nothing is fetched for a link that anyone can write.
            throw AuthorizationRefusal.page(
                OAuthError(
                    .invalidRequest,
                    "request_uri is missing: this client must push its requests."
                ),
                client: clientID,
                nil
            )
        }
        let proven = try await ProvenRequest(form, in: realm, wasPushed: false, at: moment.seconds)
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
    ///
    /// - Parameters:
    ///   - address: Of who asks: a client's document may be fetched for them.
    ///   - browser: Where a form of our page brings it, whose origin was checked, the hashes of what the
    ///     browser's form cookie is and was: what it has answered itself, it may answer again.
    /// - Throws: ``AuthorizationRefusal``; ``TooManyRequests``, with nothing fetched.
    func resume(
        _ flow: AuthorizationFlow,
        in realm: LiveRealm,
        from address: String,
        postedIn browser: [Hash256]? = nil,
        at moment: Moment
    ) async throws -> ProvenRequest {
        let form = try FormParameters(decoding: flow.parameters)
        if let clientID = form["client_id"] {
            if flow.isPushed, try await !mayAnswer(flow, again: browser) {
                try await refuseAnswered(flow.requestID, of: clientID, moment)
            }
            try await admit(clientID, to: realm, from: address, moment)
        }
        return try await ProvenRequest(
            form,
            in: realm,
            wasPushed: flow.isPushed,
            isCarried: true,
            at: moment.seconds
        )
    }

    /// The client of a request that was pushed: its document may have to be fetched again.
    ///
    /// - Throws: ``AuthorizationRefusal/page(_:client:_:)`` where it is not to be had (Client ID
    ///   Metadata Document §4.3).
    private func admit(
        _ clientID: String,
        to realm: LiveRealm,
        from address: String,
        _ moment: Moment
    ) async throws {
        do {
            try await documents.admit(clientID, to: realm, from: address, at: moment)
        } catch let error as OAuthError {
            throw AuthorizationRefusal.page(error, client: clientID, nil)
        }
    }

    /// Whether a browser may answer a pushed request, whose page it has, once more: not what another has
    /// answered.
    private func mayAnswer(_ flow: AuthorizationFlow, again browser: [Hash256]?) async throws
        -> Bool
    {
        guard let browser else { return false }
        if let others = spent.browsers(thatAnswered: flow.requestID) {
            return others.contains(where: browser.contains)
        }
        return try await !grants.isAnswered(requestID: flow.requestID)
    }

    /// RFC 9126 §4, §7.3: the address is good for one code; reloading before that does no harm.
    private func refuseAnswered(
        _ requestID: UniqueID,
        of clientID: String,
        _ moment: Moment
    ) async throws {
        guard !spent.isSpent(requestID, at: moment.seconds),
            try await !grants.isAnswered(requestID: requestID)
        else {
            throw Self.answered(clientID)
        }
    }

    static func answered(_ clientID: String) -> AuthorizationRefusal {
        .page(OAuthError(.invalidRequestURI, "request_uri was used before."), client: clientID, nil)
    }

    private func beginPushed(
        _ reference: String,
        _ form: FormParameters,
        in realm: LiveRealm,
        browser: Hash256,
        from address: String,
        at moment: Moment
    ) async throws -> (AuthorizationFlow, ProvenRequest) {
        let clientID: String
        do {
            // Parameters other than client_id and request_uri never override pushed ones: they are
            // ignored.
            clientID = try form.required("client_id")
            _ = try form.required("request_uri")
        } catch {
            throw AuthorizationRefusal.page(error, client: nil, nil)
        }
        let hash = Hash256(of: String(reference.dropFirst(Self.requestURIPrefix.count)))
        let kept = try await pushed.pushedRequest(hash, realmID: realm.id)
        if let kept,
            sameBytes(kept.clientID, Client.id(ofDocument: clientID, realmID: realm.id))
        {
            // Nothing is fetched for what is answered, or too late.
            try await refuseAnswered(kept.requestID, of: clientID, moment)
            if moment.seconds < kept.expiresAt {
                try await admit(clientID, to: realm, from: address, moment)
            }
        }
        guard
            let request = kept,
            // RFC 9126 §2.2: bound to the client that pushed it.
            let client = try await realm.client(clientID: clientID), client.id == request.clientID,
            let encoded = PushedRequestSeal(ring: ring, realmID: realm.id)
                .open(request.parameters, at: moment)
        else {
            let error = OAuthError(.invalidRequestURI, "request_uri is unknown or has expired.")
            throw AuthorizationRefusal.page(error, client: clientID, nil)
        }
        let proven = try await ProvenRequest(
            try FormParameters(decoding: encoded),
            in: realm,
            wasPushed: true,
            isCarried: true,
            at: moment.seconds
        )
        try await refuseAnswered(request.requestID, of: clientID, moment)
        // RFC 9126 §4. As long as it is kept, it says where the app waits.
        guard moment.seconds < request.expiresAt else {
            let error = OAuthError(.invalidRequestURI, "request_uri has expired.")
            throw AuthorizationRefusal.redirect(error, proven.target)
        }
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

/// Seals the parameters of pushed requests of one realm (RFC 9126 §2): they may hold a login token or
/// an ID Token, and a copy of the database alone is to open none.
struct PushedRequestSeal: Sendable {
    private let seal: Seal

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "pushed request", realm: realmID)
    }

    /// In seconds. The row says when the request itself expires.
    private static let lifetime: Double = 86_400
    private static let longest = (AuthorizationFlowSeal.longestRequest + Seal.overhead) * 4 / 3 + 4

    func seal(_ parameters: [UInt8], at moment: Moment) -> [UInt8] {
        Array(seal.seal(parameters, at: moment.now, random: moment.random).utf8)
    }

    /// - Returns: `nil` for what this realm has not sealed.
    func open(_ sealed: [UInt8], at moment: Moment) -> [UInt8]? {
        // `try?`: every failure is an unknown request (RFC 9126 §2.2).
        try? seal.open(sealed, at: moment.now, within: Self.lifetime, maximumLength: Self.longest)
    }
}
