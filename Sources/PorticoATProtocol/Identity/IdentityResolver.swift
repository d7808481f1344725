import HTTPTypes
package import PorticoBytes
package import PorticoProtocol

/// Finds out who an account is (AT Protocol, Identity): its DID, its document, and whether its
/// handle is its own.
package struct IdentityResolver: Sendable {
    private let transport: any HTTPTransport
    private let lookup: HandleLookup
    private let directory: ServerOrigin
    private let cache: AnswerCache<ATIdentity>
    private let rules: IdentityRules
    private let clock: Clock

    /// How long an identity is believed, in seconds: less than the 10 minutes that a sign-in may.
    package static let freshness: Int64 = 540

    /// - Parameters:
    ///   - transport: Guarded: strangers choose every address. Of no particular media type.
    ///   - directory: Where every `did:plc` is registered.
    package init(
        transport: any HTTPTransport,
        names: any TextRecordResolver,
        directory: ServerOrigin,
        cache: AnswerCache<ATIdentity>,
        rules: IdentityRules = .production,
        clock: Clock
    ) {
        self.transport = transport
        lookup = HandleLookup(transport: transport, names: names, rules: rules)
        self.directory = directory
        self.cache = cache
        self.rules = rules
        self.clock = clock
    }

    /// - Parameter isFresh: Whether nothing is believed that was found before.
    /// - Throws: Also `handleOfAnother`, if the account does not name the handle as its own.
    package func identity(of handle: Handle, isFresh: Bool = false) async throws(IdentityError)
        -> ATIdentity
    {
        if let known = known(handle.text, isFresh) { return known }
        let did = try await lookup.did(of: handle)
        let document = try await document(of: did)
        guard document.handle == handle else { throw .handleOfAnother }
        let identity = try identity(did, handle, document)
        keep(identity, handle.text)
        return identity
    }

    /// The account's handle is left out if it does not name the DID, or cannot be asked.
    ///
    /// - Parameter isFresh: Whether nothing is believed that was found before.
    package func identity(of did: DID, isFresh: Bool = false) async throws(IdentityError)
        -> ATIdentity
    {
        if let known = known(did.text, isFresh) { return known }
        let document = try await document(of: did)
        var handle: Handle?
        var isKnown = true
        if let named = document.handle {
            do {
                if try await lookup.did(of: named) == did { handle = named }
            } catch {
                isKnown = error != .handleUnreachable && error != .busy
            }
        }
        var identity = try identity(did, handle, document)
        identity.isHandleKnown = isKnown
        if isKnown { keep(identity, did.text) }
        return identity
    }

    private func identity(_ did: DID, _ handle: Handle?, _ document: IdentityDocument)
        throws(IdentityError) -> ATIdentity
    {
        guard let host = document.host else { throw .noHost }
        return ATIdentity(did: did, handle: handle, host: host)
    }

    private func known(_ question: String, _ isFresh: Bool) -> ATIdentity? {
        guard isFresh else { return cache.answer(to: question, at: clock.moment().seconds) }
        cache.forget(question)
        return nil
    }

    private func keep(_ identity: ATIdentity, _ question: String) {
        cache.keep(identity, to: question, at: clock.moment().seconds)
    }

    private func document(of did: DID) async throws(IdentityError) -> IdentityDocument {
        let address =
            switch did.method {
            case .plc: directory.address("/\(did.text)")
            case .web(let host): ServerOrigin(of: host).address("/.well-known/did.json")
            }
        guard let address else { throw .documentInvalid }
        let reply: HTTPReply
        do {
            var request = HTTPRequest(.get, to: address)
            request.headerFields[.accept] = "application/did+ld+json, application/json"
            reply = try await transport.send(
                request,
                body: [],
                limits: HTTPLimits(bytes: IdentityDocument.longest, seconds: 10)
            )
        } catch {
            switch error {
            case .busy: throw .busy
            case .tooLarge: throw .documentInvalid
            default: throw .directoryUnreachable
            }
        }
        switch reply.response.status.code {
        case 200: break
        case 404, 410: throw .didNotFound
        default: throw .directoryUnreachable
        }
        guard reply.isJSON else { throw .documentInvalid }
        return try IdentityDocument(parsing: reply.body, of: did, rules)
    }
}
