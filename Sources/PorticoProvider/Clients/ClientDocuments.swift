import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Makes clients known that are registered nowhere, from the documents at their `client_id` (Client
/// ID Metadata Document §4; docs/decisions/0064), in realms that take them.
///
/// A good document is believed for ten minutes; errors and bad documents never (§4.4). However many
/// requests wait for one document, it is fetched once.
final class ClientDocuments: Sendable {
    private let transport: any HTTPTransport
    private let allowsTest: Bool
    private let events: SecurityEvents
    private let limit = RateLimiter(ClientDocuments.perAddress)
    private let flights = Locked(Flights())

    private typealias Flight = Task<Result<Fetched, any Error>, Never>

    private struct Flights: Sendable {
        var documents: [ExactText: Flight] = [:]
        var hosts: [String: Int] = [:]
    }

    private struct Fetched: Sendable {
        let document: ClientDocument
        /// From the document or from its `jwks_uri`.
        let keys: JWKSet?
        let bytes: Int
    }

    /// A host that is asked for as much as may be at once.
    private struct FullHost: Error {}

    /// How many documents one address may have fetched, and how many documents and key sets are
    /// fetched of one host at once.
    static let perAddress = RateLimit(burst: 20, perMinute: 20)
    static let mostPerHost = 4

    static let limits = HTTPLimits(bytes: ClientDocument.longest, seconds: 10)

    /// - Parameters:
    ///   - transport: Guarded, and without redirects: strangers choose every address.
    ///   - allowsTest: Whether hosts under `.test` are asked, too: in a test network.
    init(transport: any HTTPTransport, allowsTest: Bool, events: SecurityEvents) {
        self.transport = transport
        self.allowsTest = allowsTest
        self.events = events
    }

    /// Makes the client of that `client_id` known to the realm, if it is an address and no registered
    /// client's. Does nothing otherwise.
    ///
    /// - Parameter address: Of who asks.
    /// - Throws: `invalid_client_metadata`, `invalid_redirect_uri`, `invalid_client_id`;
    ///   ``TooManyRequests`` and ``Unavailable/busy``, with nothing fetched.
    func admit(
        _ clientID: String,
        to realm: LiveRealm,
        from address: String,
        at moment: Moment
    ) async throws {
        guard try await realm.takesDocument(clientID: clientID) else { return }
        let clients = realm.described
        if LocalhostClient.isMeant(by: clientID) {
            do throws(ClientDocumentRefusal) {
                _ = try LocalhostClient(clientID)
            } catch {
                throw error.error
            }
            return
        }
        let site: ClientIDAddress
        do throws(ClientDocumentRefusal) {
            site = try ClientIDAddress(clientID, allowsTest: allowsTest)
        } catch {
            throw error.error
        }
        let id = Client.id(ofDocument: clientID, realmID: realm.id)
        guard !clients.isFresh(id, at: moment.seconds) else { return }
        let isKnown = clients.isKnown(id, at: moment.seconds)
        let fetched: Fetched
        do {
            let most = Self.mostPerHost + (isKnown ? 1 : 0)
            let flight = try flight(to: site, most, for: realm.realm, from: address, at: moment)
            fetched = try await flight.value.get()
        } catch Unavailable.busy where isKnown, is FullHost where isKnown {
            // Strangers' documents do not keep those away who use this client.
            return
        } catch is FullHost {
            throw TooManyRequests(seconds: 1)
        }
        clients.keep(
            Client(
                fetched.document,
                keys: fetched.keys,
                in: realm.realm,
                scopes: realm.offeredScopes
            ),
            bytes: fetched.bytes,
            at: moment.seconds
        )
    }

    /// The fetch of a document: one that is on its way, or a new one, which no caller can cancel.
    ///
    /// - Parameter most: Fetches of its host at once. A known client's is one more: no stranger makes us
    ///   believe an old document, and old keys in it, by filling its host.
    private func flight(
        to site: ClientIDAddress,
        _ most: Int,
        for realm: Realm,
        from address: String,
        at moment: Moment
    ) throws -> Flight {
        // Where other rules are, another document is good.
        let rule = realm.profile.scopeRule
        let key = ExactText("\(rule.rawValue) \(site.text)")
        return try flights.withLock { flights in
            if let flight = flights.documents[key] { return flight }
            guard flights.hosts[site.host, default: 0] < most else { throw FullHost() }
            let asker = LimitKey("client document", address)
            if case .wait(let seconds) = limit.take(asker, at: moment.now) {
                throw TooManyRequests(seconds: seconds)
            }
            let flight = Flight {
                let result = await self.fetch(site, rule, most)
                self.landed(key, host: site.host)
                self.note(result, of: site, realm.name, address)
                return result
            }
            flights.documents[key] = flight
            flights.hosts[site.host, default: 0] += 1
            return flight
        }
    }

    /// - Parameter key: Of the document; `nil` for a key set.
    private func landed(_ key: ExactText?, host: String) {
        flights.withLock { flights in
            if let key { flights.documents[key] = nil }
            let left = flights.hosts[host, default: 1] - 1
            flights.hosts[host] = left > 0 ? left : nil
        }
    }

    private func fetch(_ site: ClientIDAddress, _ rule: ScopeRule, _ most: Int) async
        -> Result<Fetched, any Error>
    {
        do {
            return .success(try await fetched(site, rule, most))
        } catch {
            return .failure(error)
        }
    }

    /// Once a fetch, however many wait for it; that we are busy says nothing of the client.
    private func note(
        _ result: Result<Fetched, any Error>,
        of site: ClientIDAddress,
        _ realm: String,
        _ address: String
    ) {
        switch result {
        case .success: events.documentFetched(site, realm: realm, for: address)
        case .failure(let error as OAuthError):
            events.documentFetched(site, realm: realm, for: address, error: error)
        case .failure: break
        }
    }

    private func fetched(_ site: ClientIDAddress, _ rule: ScopeRule, _ most: Int) async throws
        -> Fetched
    {
        let bytes = try await body(at: site.address)
        let document: ClientDocument
        do throws(ClientDocumentRefusal) {
            document = try ClientDocument(parsing: bytes, at: site, scopes: rule)
        } catch {
            throw error.error
        }
        switch document.authentication {
        case .none:
            return Fetched(document: document, keys: nil, bytes: bytes.count)
        case .privateKeyJWT(_, .inline(let keys)):
            return Fetched(document: document, keys: keys, bytes: bytes.count)
        case .privateKeyJWT(let algorithm, .at(let address)):
            let set = try await keySet(at: address, of: site, most)
            return Fetched(
                document: document,
                keys: try Self.keys(set, for: algorithm),
                bytes: bytes.count + set.count
            )
        }
    }

    /// The bytes of a key set, which has a place at its host as a document has.
    private func keySet(at address: HTTPAddress, of site: ClientIDAddress, _ most: Int)
        async throws -> [UInt8]
    {
        // Where the document is, its own place is still taken.
        guard !sameBytes(address.host, site.host) else { return try await body(at: address) }
        try flights.withLock { flights in
            guard flights.hosts[address.host, default: 0] < most else { throw FullHost() }
            flights.hosts[address.host, default: 0] += 1
        }
        defer { landed(nil, host: address.host) }
        return try await body(at: address)
    }

    private static func keys(_ bytes: [UInt8], for algorithm: SignatureAlgorithm)
        throws(OAuthError) -> JWKSet
    {
        let object: JSONObject
        do {
            object = try JSONObject(parsing: bytes, limits: ClientDocument.jsonLimits)
        } catch {
            throw ClientDocumentRefusal.keys.error
        }
        do throws(ClientDocumentRefusal) {
            return try ClientDocument.keySet(object, for: algorithm)
        } catch {
            throw error.error
        }
    }

    /// 200 and `application/json`, nothing else (§4; the AT Protocol's servers take no other type).
    private func body(at address: HTTPAddress) async throws -> [UInt8] {
        var request = HTTPRequest(.get, to: address)
        request.headerFields[.accept] = "application/json"
        let reply: HTTPReply
        do {
            reply = try await transport.send(request, body: [], limits: Self.limits)
        } catch {
            guard error != .busy else { throw Unavailable.busy }
            throw OAuthError(
                .invalidClientMetadata,
                "The client's document, or its key set, cannot be fetched."
            )
        }
        guard reply.response.status.code == 200, reply.mediaType == "application/json",
            reply.body.count <= Self.limits.bytes
        else {
            throw OAuthError(
                .invalidClientMetadata,
                "The client's document, or its key set, must be answered with 200 and JSON."
            )
        }
        return reply.body
    }
}
