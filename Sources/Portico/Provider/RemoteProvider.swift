import HTTPTypes
import PorticoBytes
package import PorticoProtocol
import PorticoSystem

/// The provider's metadata and keys, fetched when needed and cached.
///
/// Any number of callers cause one fetch. The fetch does not belong to any of them: a cancelled
/// caller returns at once, and the others get their answer.
package actor RemoteProvider {
    package nonisolated let issuer: Issuer
    package nonisolated let profile: ProviderProfile
    private let http: ProviderHTTP
    private var known: KnownProvider.Fetched<ProviderMetadata>?
    private var mayKeepMetadata = true
    private var metadataFailedAt: Date?
    private var metadataFetch: Task<Result<Discovery.Found, SignInError>, Never>?
    private var keySet = RemoteKeySet()
    private var keySetURI: String?
    /// The last key set, if it may be kept.
    private var keptKeys: KnownProvider.Fetched<JWKSet>?
    private var keyFetch: Task<SignInError?, Never>?
    private var keyFailure: SignInError?

    /// How long metadata is used without a new fetch: as `Cache-Control` says, within these bounds.
    private static let freshness: ClosedRange<TimeInterval> = 3600...24 * 3600
    /// How long it may still be used if the provider cannot be reached (OpenID Connect Discovery 1.0
    /// §4: cached, not for ever).
    private static let life: TimeInterval = 24 * 3600
    static let keyLimits = HTTPLimits(bytes: 256 * 1024, seconds: 10)
    /// After a failed fetch, cached data is used for this long without another fetch: callers do
    /// not wait for a provider that is down.
    private static let pause: TimeInterval = 30

    package init(issuer: Issuer, profile: ProviderProfile, http: ProviderHTTP) {
        self.issuer = issuer
        self.profile = profile
        self.http = http
    }

    /// - Parameter orLast: Does not wait for a fetch if earlier metadata is known, up to a month old.
    /// - Throws: The failure of a new fetch, and only if nothing usable is cached.
    package func metadata(orLast: Bool = false) async throws(SignInError) -> ProviderMetadata {
        if let configured = profile.metadata { return configured }
        if let known, isWithin(known.freshFor, of: known.at) { return known.value }
        let life = orLast ? KnownProvider.life : Self.life
        let last = known.flatMap { isWithin(life, of: $0.at) ? $0.value : nil }
        if let last, let metadataFailedAt, isWithin(Self.pause, of: metadataFailedAt) {
            return last
        }
        let fetch = metadataFetch ?? startMetadataFetch()
        if orLast, let last { return last }
        switch try await fetch.valueUnlessCancelled() {
        case .success(let found): return found.metadata
        case .failure(let error):
            // An unreachable provider does not make its earlier metadata untrue; neither does one
            // that now answers wrongly, but that is reported once the cached metadata has expired.
            if let last { return last }
            throw error
        }
    }

    /// Metadata that is not older than it may be, whatever becomes of a new fetch.
    func freshMetadata() async throws(SignInError) -> ProviderMetadata {
        if let configured = profile.metadata { return configured }
        if let known, isWithin(known.freshFor, of: known.at) { return known.value }
        let fetch = metadataFetch ?? startMetadataFetch()
        return try (await fetch.valueUnlessCancelled()).get().metadata
    }

    /// The algorithms allowed for ID Tokens of this provider.
    func allowedAlgorithms(orLast: Bool = false) async throws(SignInError)
        -> Set<SignatureAlgorithm>
    {
        if let pinned = profile.algorithms { return pinned }
        return try await metadata(orLast: orLast).allowedAlgorithms
    }

    /// The same by the provider's metadata as it is now.
    func newAlgorithms() async throws(SignInError) -> Set<SignatureAlgorithm> {
        if let pinned = profile.algorithms { return pinned }
        if let configured = profile.metadata { return configured.allowedAlgorithms }
        let fetch = metadataFetch ?? startMetadataFetch()
        return try (await fetch.valueUnlessCancelled()).get().metadata.allowedAlgorithms
    }

    /// The keys for a token with this header that were fetched last, however old.
    func lastKeys(for header: JWSHeader) async throws(SignInError) -> [VerificationKey] {
        guard let uri = try await metadata(orLast: true).keySetURI else { return [] }
        use(uri)
        return keySet.lastKeys(for: header, notOlderThan: KnownProvider.life, at: http.now())
    }

    /// What may be kept with a session.
    var lasting: JSONObject {
        KnownProvider(
            metadata: mayKeepMetadata ? known : nil,
            keys: keptKeys,
            keySetURI: keySetURI
        ).json
    }

    /// Takes what was kept with a session, unless something was fetched already.
    func learn(_ lasting: JSONObject) {
        let kept = KnownProvider(lasting, of: issuer)
        if known == nil, let metadata = kept.metadata,
            // `try?`: what this client would not accept now is fetched again.
            (try? Discovery.check(metadata.value, pkceUnannounced: profile.pkceUnannounced)) != nil
        {
            known = metadata
        }
        if keySetURI == nil, let keys = kept.keys, let uri = kept.keySetURI {
            keySetURI = uri
            keptKeys = keys
            keySet.received(keys.value, at: keys.at, freshFor: keys.freshFor)
        }
    }

    /// Fetches metadata and keys from the provider now, whatever is cached, and caches the answer.
    ///
    /// - Throws: Why signing in with this provider does not work.
    package func probe() async throws(SignInError) {
        if profile.metadata == nil {
            let fetch = metadataFetch ?? startMetadataFetch()
            _ = try (await fetch.valueUnlessCancelled()).get()
        }
        guard let uri = try await metadata().keySetURI else { return }
        use(uri)
        let fetch = keyFetch ?? startKeyFetch(uri)
        if let error = try await fetch.valueUnlessCancelled() { throw error }
    }

    /// The keys that may have signed a token with this header, after one more fetch if no cached
    /// key fits (OpenID Connect Core §10.1.1).
    func keys(for header: JWSHeader) async throws(SignInError) -> [VerificationKey] {
        var fetched: String?
        while true {
            // In each turn: what was fetched meanwhile may have another address.
            guard let uri = try await metadata().keySetURI else {
                throw SignInError(.misconfigured(.endpointMissing.naming("jwks_uri")))
            }
            use(uri)
            let hasFetched = fetched.map { sameBytes($0, uri) } ?? false
            switch keySet.key(for: header, afterFetch: hasFetched, at: http.now()) {
            case .use(let keys): return keys
            case .unknown: throw SignInError(.rejected(.key))
            case .unavailable:
                throw keyFailure ?? SignInError(.transient(.unreachable, retryAfter: nil))
            case .fetch:
                let fetch = startKeyFetch(uri)
                if let error = try await fetch.valueUnlessCancelled() { throw error }
                fetched = uri
            case .wait:
                guard let fetch = keyFetch else {
                    throw SignInError(.transient(.unreachable, retryAfter: nil))
                }
                if let error = try await fetch.valueUnlessCancelled() { throw error }
            }
        }
    }

    /// Keys from an address that the provider no longer uses are no longer its keys, and neither
    /// are those that a fetch will bring from there.
    private func use(_ uri: String) {
        if keySetURI != nil, !isInUse(uri) {
            keySet = RemoteKeySet()
            keptKeys = nil
            keyFetch = nil
        }
        keySetURI = uri
    }

    private func isInUse(_ uri: String) -> Bool {
        keySetURI.map { sameBytes($0, uri) } ?? false
    }

    private func isWithin(_ interval: TimeInterval, of start: Date) -> Bool {
        let age = http.now().timeIntervalSince(start)
        return age < interval && age > -10
    }

    private func startMetadataFetch() -> Task<Result<Discovery.Found, SignInError>, Never> {
        let discovery = Discovery(issuer: issuer, http: http)
        let pkceUnannounced = profile.pkceUnannounced
        let fetch = Task {
            let result = await discovery.result(pkceUnannounced: pkceUnannounced)
            received(result)
            return result
        }
        metadataFetch = fetch
        return fetch
    }

    private func received(_ result: Result<Discovery.Found, SignInError>) {
        metadataFetch = nil
        switch result {
        case .success(let found):
            let bounds = Self.freshness
            let age = found.maxAge ?? bounds.lowerBound
            known = KnownProvider.Fetched(
                value: found.metadata,
                at: http.now(),
                freshFor: min(max(age, bounds.lowerBound), bounds.upperBound)
            )
            mayKeepMetadata = found.mayBeStored
            metadataFailedAt = nil
        case .failure: metadataFailedAt = http.now()
        }
    }

    private func startKeyFetch(_ uri: String) -> Task<SignInError?, Never> {
        let fetch = Task { () -> SignInError? in
            do throws(SignInError) {
                let (set, life, mayBeStored) = try await fetchedKeys(at: uri)
                guard isInUse(uri) else { return nil }
                let now = http.now()
                keySet.received(set, at: now, freshFor: life)
                keptKeys =
                    mayBeStored
                    ? KnownProvider.Fetched(value: set, at: now, freshFor: life) : nil
                keyFailure = nil
            } catch {
                guard isInUse(uri) else { return nil }
                keySet.failed(at: http.now())
                keyFailure = error
            }
            keyFetch = nil
            return keyFailure
        }
        keyFetch = fetch
        return fetch
    }

    private func fetchedKeys(at uri: String) async throws(SignInError) -> (
        JWKSet, life: TimeInterval, mayBeStored: Bool
    ) {
        // OpenID Connect assumes RS256 for a key that names no algorithm (Core §3.1.3.7-7); it may
        // sign with PS256 too if the provider does.
        let isPSS = try await allowedAlgorithms().contains(.ps256)
        let limits = Self.keyLimits
        let reply = try await http.get(uri, limits: limits, check: .keys)
        guard reply.response.status == .ok else { throw http.failure(of: reply) }
        guard reply.isJSON else { throw SignInError(.rejected(.keys.notJSON)) }
        do {
            let set = try JWKSet(
                parsing: reply.body,
                limits: .foreign(size: limits.bytes),
                unlabelledRSA: isPSS ? [.rs256, .ps256] : [.rs256]
            )
            guard let life = profile.keySetLife else {
                return (set, RemoteKeySet.freshness, reply.mayBeStored)
            }
            let age = reply.maxAge ?? life.upperBound
            return (set, min(max(age, life.lowerBound), life.upperBound), reply.mayBeStored)
        } catch {
            throw SignInError(.rejected(.keys))
        }
    }
}

extension Task where Failure == Never {
    /// The task's value; a cancelled caller does not wait for it, and does not cancel the task.
    func valueUnlessCancelled() async throws(SignInError) -> Success {
        let waiting = Locked<CheckedContinuation<Success?, Never>?>(nil)
        let isCancelled = Locked(false)
        let tell = { @Sendable (value: sending Success?) in
            let continuation = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            continuation?.resume(returning: value)
        }
        let value = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting.withLock { $0 = continuation }
                if isCancelled.withLock({ $0 }) { return tell(nil) }
                Task<Void, Never> { tell(await self.value) }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
            tell(nil)
        }
        guard let value else { throw SignInError(.cancelled(.program)) }
        return value
    }
}
