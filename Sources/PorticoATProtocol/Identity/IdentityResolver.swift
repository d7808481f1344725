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

/// What is taken as an identity besides what the AT Protocol allows in production.
package struct IdentityRules: Sendable {
    /// Names under `.test`, and a `did:plc` of any length, as documents and tests write them.
    package var allowsTest = false
    /// Servers over plain http, `http://localhost:9000`: of a demonstration or a test network.
    package var plainOrigins: Set<String> = []

    package init() {}

    package static let production = IdentityRules()
}

/// What an account's DID document says of it (W3C DID §5; AT Protocol, DIDs).
struct IdentityDocument: Hashable, Sendable {
    /// The first handle that it names. It may be another's: the handle has to name the DID, too.
    let handle: Handle?
    let host: ServerOrigin?

    /// In bytes.
    static let longest = 64 * 1024

    /// - Parameter did: Whose document it has to be.
    /// - Throws: `documentInvalid`, `invalidHost`.
    init(parsing document: [UInt8], of did: DID, _ rules: IdentityRules)
        throws(IdentityError)
    {
        let json: JSONObject
        do {
            json = try JSONObject(
                parsing: document,
                limits: .foreign(size: Self.longest, depth: 16)
            )
        } catch {
            throw .documentInvalid
        }
        guard let id = json.string("id"), sameBytes(id, did.text) else { throw .documentInvalid }
        handle = Self.handle(in: json.array("alsoKnownAs") ?? [], rules)
        host = try Self.host(in: json.array("service") ?? [], of: did, rules)
    }

    private static func handle(in names: [JSONValue], _ rules: IdentityRules) -> Handle? {
        for name in names {
            guard let text = name.string?.dropping("at://") else { continue }
            // `try?`: one that is no handle is passed over.
            if let handle = try? Handle(text, rules) { return handle }
        }
        return nil
    }

    /// The endpoint of the first service that is a host of accounts.
    private static func host(in services: [JSONValue], of did: DID, _ rules: IdentityRules)
        throws(IdentityError) -> ServerOrigin?
    {
        guard services.count <= 100 else { throw .documentInvalid }
        for service in services.compactMap({ $0.object }) {
            guard let id = service.string("id"),
                sameBytes(id, "#atproto_pds") || sameBytes(id, "\(did.text)#atproto_pds"),
                let type = service.string("type"), sameBytes(type, "AtprotoPersonalDataServer")
            else { continue }
            guard let endpoint = service.string("serviceEndpoint") else { throw .invalidHost }
            do {
                return try ServerOrigin(endpoint, rules)
            } catch {
                throw .invalidHost
            }
        }
        return nil
    }
}
