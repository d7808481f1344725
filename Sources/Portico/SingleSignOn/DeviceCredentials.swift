import PorticoBytes
import PorticoProtocol

/// What an app shares on its device with other apps of its vendor, so that they sign in without a
/// browser: its ID Token and the device secret that belongs to it (OpenID Connect Native SSO §3), and
/// the key that its tokens are bound to, if they are.
///
/// Keep it where only these apps can read it, such as a keychain group. Printing it shows nothing of
/// it.
public struct DeviceCredentials: Sendable {
    /// Tells the format from that of a stored session, which has the other members too.
    private static let type = "device_credentials"

    let issuer: String
    let idToken: SecretText
    let deviceSecret: SecretText
    let key: DPoPKey?

    init(issuer: String, idToken: SecretText, deviceSecret: SecretText, key: DPoPKey?) {
        self.issuer = issuer
        self.idToken = idToken
        self.deviceSecret = deviceSecret
        self.key = key
    }

    /// What another app has shared.
    ///
    /// - Returns: `nil` if the bytes are not from ``serialized()``.
    public init?(_ bytes: [UInt8]) {
        // `try?`: every kind of damage has the same outcome.
        guard let json = try? JSONObject(parsing: bytes, limits: JSONLimits(size: 1 << 20)),
            json.int64("version") == 1, json.string("type") == Self.type,
            let issuer = json.string("issuer"),
            let idToken = json.string("id_token"), let secret = json.string("device_secret")
        else { return nil }
        let key: DPoPKey?
        do {
            key = try DPoPKey(in: json)
        } catch {
            return nil
        }
        self.init(
            issuer: issuer,
            idToken: SecretText(idToken),
            deviceSecret: SecretText(secret),
            key: key
        )
    }

    /// The bytes to be shared.
    public func serialized() -> [UInt8] {
        var json: JSONObject = [
            "version": 1, "type": .string(Self.type), "issuer": .string(issuer),
            "id_token": .string(idToken.reveal()),
            "device_secret": .string(deviceSecret.reveal()),
        ]
        key?.keep(in: &json)
        return json.serialized()
    }
}

extension DeviceCredentials: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String { "DeviceCredentials(…)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Session {
    /// What other apps of the vendor on this device need to sign the person in, or `nil` if the
    /// provider gave no device secret: it does for ``ScopeToken/deviceSSO``.
    ///
    /// - Throws: As ``Session/credentials()``.
    public func deviceCredentials() async throws(SignInError) -> DeviceCredentials? {
        let record = try await freshRecord()
        return record.deviceSecret.map {
            DeviceCredentials(
                issuer: record.issuer,
                idToken: record.idToken.text,
                deviceSecret: $0,
                key: record.dpopKey
            )
        }
    }

    /// Puts them into a storage that the vendor's apps share, in place of earlier ones.
    ///
    /// - Returns: Whether there was anything to share.
    /// - Throws: storage(.unreadable) if something else is there, such as a session: use a storage of
    ///   its own.
    @discardableResult
    public func shareDevice(in storage: any SessionStorage) async throws(SignInError) -> Bool {
        guard let credentials = try await deviceCredentials() else { return false }
        let lock = try await storage.lock(patience: .refresh)
        defer { lock.release() }
        try await lock.hold { () throws(SignInError) in
            if let bytes = try await storage.read(), DeviceCredentials(bytes) == nil {
                throw .storage(.unreadable)
            }
            try await storage.write(credentials.serialized())
        }
        return true
    }
}

/// A session that shares the tokens of another one in this process, such as an SDK's session with
/// the app's: two that rotate one refresh token would sign each other out (RFC 9700 §4.14.2).
extension Session {
    /// Until a sign-in of its own gave it tokens of its own (``stepUp(_:using:)``).
    var isRenewedElsewhere: Bool {
        // `try?`: a session that has ended is renewed nowhere.
        source != nil && (try? activeRecord())?.isShared == true
    }

    func renewedElsewhere(
        _ stored: SessionRecord,
        for goal: RefreshGoal,
        under lock: SessionLock
    ) async throws(SignInError) -> SessionRecord? {
        guard let source, stored.isShared else { return nil }
        let renewed: SessionRecord
        do throws(SignInError) {
            renewed = try await source.record(for: goal)
        } catch {
            guard case .interactionRequired(let ending) = error.kind, !source.isActive else {
                throw error
            }
            end(ending)
            try await lock.hold { () throws(SignInError) in try await storage.remove() }
            throw error
        }
        let fresh = stored.sharing(renewed)
        try await storeResult(fresh, replacing: nil, under: lock)
        return fresh
    }

    private func record(for goal: RefreshGoal) async throws(SignInError) -> SessionRecord {
        switch goal {
        case .freshness(.usual): return try await freshRecord()
        case .freshness(.lasting(let seconds)): return try await freshRecord(for: .seconds(seconds))
        case .replacement(let used):
            let record = try activeRecord()
            guard record.accessToken == used else { return record }
            return try await refresher.record(of: self, for: goal)
        }
    }
}

extension SessionRecord {
    /// The record with the tokens of another session, except the one that renews them.
    func sharing(_ other: SessionRecord) -> SessionRecord {
        var record = self
        record.accessToken = other.accessToken
        record.dpopKey = other.dpopKey
        record.receivedAt = other.receivedAt
        record.expiresAt = other.expiresAt
        record.idToken = other.idToken
        record.scope = other.scope
        record.provider = other.provider
        record.refreshToken = nil
        record.pending = nil
        record.isShared = true
        return record
    }
}
