import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoSignIn
import PorticoStores
import PorticoWeb

/// Makes sure that there is a key, that unneeded keys are not published, and that sessions that
/// began as another kind of client end.
struct HandleKeyKeeper: Sendable {
    let directory: ProviderDirectory
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
    let directory: ProviderDirectory
    let headers: SecurityHeaders

    /// How long they may be kept, in seconds: less than a new key waits.
    private static let life = 60

    func metadata(_ context: SignInContext) throws(ServiceError) -> Response {
        let live = try directory.liveHandles()
        var json = live.client.json
        for (name, value) in live.provider.links { json[name] = value }
        json["scope"] = .string(live.provider.listed(at: context.now).text)
        return Response(publicJSON: json.serialized(), for: Self.life, headers: headers)
    }

    func keys(_ context: SignInContext) throws(ServiceError) -> Response {
        Response(
            publicJSON: try directory.liveHandles().keys.published.serialized(),
            for: Self.life,
            headers: headers
        )
    }
}
