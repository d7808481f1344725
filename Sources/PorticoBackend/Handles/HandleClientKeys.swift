import HTTPTypes
import PorticoATProtocol
package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores
import PorticoWeb

/// The keys that authenticate this server to hosts (RFC 7523 §2.2; AT Protocol, OAuth, Confidential
/// Client Authentication).
struct HandleClientKeys: Sendable {
    /// The usable keys, beginning with the one used last.
    private let keys: [(activeFrom: Int64, key: SigningKey)]

    /// How many seconds a new key is published before it is used: hosts keep what they fetched for
    /// ten minutes, and a cache in between may be a minute old.
    static let publishedFirst: Int64 = 660

    /// - Parameter records: A withdrawn one is not used, whatever else it says.
    init(_ records: [HandleClientKey], ring: KeyRing) {
        let vault = Self.vault(ring)
        keys = records.compactMap { record in
            guard record.withdrawnAt == nil,
                let algorithm = SignatureAlgorithm.allCases.first(where: {
                    sameBytes($0.rawValue, record.algorithm)
                }),
                let sealed = Base64URL.decode(record.sealedPrivateKey),
                // `try?`: a key that does not open counts as withdrawn, so its sessions end.
                let stored = try? vault.open(sealed, for: record.keyID),
                // `try?`: the same reason.
                let key = try? SigningKey(algorithm, stored: stored, keyID: record.keyID)
            else { return nil }
            return (record.activeFrom, key)
        }
    }

    /// The key of new sessions; `nil` if there is none yet.
    func current(at now: Int64) -> SigningKey? {
        keys.first { $0.activeFrom <= now }?.key
    }

    /// A session's own key; `nil` if it must no longer be used.
    func key(_ id: String) -> SigningKey? {
        keys.first { sameBytes($0.key.keyID, id) }?.key
    }

    /// Includes keys that are not used yet, and keys that only old sessions use.
    var published: JWKSet { JWKSet(keys.map(\.key.verificationKey)) }

    fileprivate static func vault(_ ring: KeyRing) -> SealedAtRest {
        SealedAtRest(ring: ring, purpose: "handle client key")
    }
}

extension HandleClientKey {
    /// A new key, to be used once every host can have seen it (ATP-CA-5).
    package static func next(ring: KeyRing, at moment: Moment) throws(JWKError) -> HandleClientKey {
        try HandleClientKey(ring: ring, usedAfter: HandleClientKeys.publishedFirst, at: moment)
    }

    /// A new key.
    ///
    /// - Parameter delay: How many seconds it is published before its use.
    init(ring: KeyRing, usedAfter delay: Int64, at moment: Moment) throws(JWKError) {
        var key = try SigningKey(generating: .es256, random: moment.random)
        // Commands take its id, where a hyphen would begin an option.
        while key.keyID.hasPrefix("-") {
            key = try SigningKey(generating: .es256, random: moment.random)
        }
        let sealed = HandleClientKeys.vault(ring).seal(
            key.revealStored(),
            for: key.keyID,
            random: moment.random
        )
        self.init(
            keyID: key.keyID,
            algorithm: key.algorithm.rawValue,
            sealedPrivateKey: Base64URL.encode(sealed),
            createdAt: moment.seconds,
            activeFrom: moment.seconds + delay
        )
    }
}

/// Makes sure that there is a key, that unneeded keys are not published, and that sessions that
/// began as another kind of client end.
struct HandleKeyKeeper: Sendable {
    let directory: BackendDirectory
    let handles: HandleSessionStore
    let ring: KeyRing
    let clock: Clock

    /// A sign-in that began before a change takes less, in seconds.
    private static let grace: Int64 = 3600

    private var usable: [HandleClientKey] {
        directory.handleKeys.filter { $0.withdrawnAt == nil }
    }

    /// Called every few seconds. It does not read the database while there is a key.
    func makeIfNone() async throws {
        guard let live = directory.handles, live.client.isConfidential, usable.isEmpty else {
            return
        }
        // No host has an older document with other keys, so the first key need not wait.
        // After a withdrawal it does.
        let delay = directory.handleKeys.isEmpty ? 0 : HandleClientKeys.publishedFirst
        try await directory.store.add(
            HandleClientKey(ring: ring, usedAfter: delay, at: clock.moment())
        )
        try await directory.refresh()
    }

    /// Called now and then.
    func withdrawUnneeded() async throws {
        let now = clock.moment().seconds
        let retired = usable.filter { ($0.retiredAt ?? .max) < now - Self.grace }
        guard !retired.isEmpty else { return }
        let inUse = try await handles.sessionsByKey()
        for key in retired where inUse[key.keyID] == nil {
            _ = try await directory.store.withdrawHandleKey(key.keyID, at: now)
        }
    }

    /// Sessions of a client with keys although we have none, or the other way round: a sign-in that
    /// began before the change left them behind.
    func endSessionsOfOtherKind() async throws {
        guard let live = directory.handles,
            // A change is read within a second; until then no session ends.
            try await directory.store.configuration().providers.contains(live.record)
        else { return }
        let isConfidential = live.provider.isConfidential
        // On this machine we are a client without keys, whatever the settings say.
        guard live.client.isConfidential == isConfidential,
            try await handles.count(confidential: !isConfidential) > 0
        else { return }
        try await handles.endAll(
            confidential: !isConfidential,
            as: HandleProvider.clientChanged,
            at: clock.moment().seconds
        )
    }
}

/// `GET /oauth-client-metadata.json` and `GET /oauth/jwks.json` identify us to hosts (AT Protocol,
/// OAuth, Clients). They fetch both at each sign-in and each refresh.
struct OwnDocuments: Sendable {
    let directory: BackendDirectory
    let headers: SecurityHeaders

    /// How long they may be kept, in seconds: less than a new key waits.
    private static let life = 60

    func metadata(_ context: BackendContext) throws(BackendError) -> Response {
        let live = try directory.liveHandles()
        var json = live.client.json
        for (name, value) in live.provider.links { json[name] = value }
        json["scope"] = .string(live.provider.listed(at: context.now).text)
        return Response(publicJSON: json.serialized(), for: Self.life, headers: headers)
    }

    func keys(_ context: BackendContext) throws(BackendError) -> Response {
        Response(
            publicJSON: try directory.liveHandles().keys.published.serialized(),
            for: Self.life,
            headers: headers
        )
    }
}
