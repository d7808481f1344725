import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// The person signed in at a backend, as the backend knows them.
public struct BackendUser: Sendable, Hashable, Identifiable {
    /// The person's identifier at this backend, and the only one.
    public let id: String
    /// May pass to another person; not an identifier.
    public let email: String?
    /// Whether a provider has verified the address, or an emailed code has.
    public let isEmailVerified: Bool
    /// The full name, for display. Foreign text.
    public let name: String?
    /// An http or https address.
    public let picture: String?
    /// The names of the providers the person can sign in with.
    public let providers: [String]
    /// The person's DID, after a sign-in by internet handle: it stays when the handle changes.
    public let did: String?
    /// Their internet handle, such as `alice.example.com`, which the backend has verified; or
    /// `handle.invalid`. To be shown: it may pass to another person.
    public internal(set) var handle: String?

    /// A person for an app's own previews and tests.
    ///
    /// - Parameters:
    ///   - id: The person's identifier.
    ///   - email: Unverified if not said otherwise.
    ///   - isEmailVerified: Whether the address is verified.
    ///   - name: The full name.
    ///   - picture: An http or https address.
    ///   - providers: The names of the providers that the person can sign in with.
    ///   - did: After a sign-in by internet handle.
    ///   - handle: After a sign-in by internet handle.
    public init(
        id: String,
        email: String? = nil,
        isEmailVerified: Bool = false,
        name: String? = nil,
        picture: String? = nil,
        providers: [String] = [],
        did: String? = nil,
        handle: String? = nil
    ) {
        self.id = id
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.name = name
        self.picture = picture
        self.providers = providers
        self.did = did
        self.handle = handle
    }

    /// The name or else the email address, or else the internet handle; the id if all are missing.
    public var displayName: String { name ?? email ?? handle ?? id }
}

extension BackendUser {
    /// - Returns: `nil` if a member is missing or has the wrong type. `null` counts as missing.
    init?(_ json: JSONObject) {
        guard let id = json.string("id"), (1...2048).contains(id.utf8.count),
            Self.isTextOrAbsent(json, ["email", "name", "picture", "did", "handle"])
        else { return nil }
        let email = Self.text("email", json)
        switch json["email_verified"] {
        // Without an address, nothing can be verified.
        case .bool(let isVerified)?: isEmailVerified = isVerified && email != nil
        case nil, .null?: isEmailVerified = false
        default: return nil
        }
        switch json["providers"] {
        case nil, .null?: providers = []
        case let value?:
            guard let names = value.strings else { return nil }
            providers = names
        }
        self.id = id
        self.email = email
        name = Self.text("name", json)
        picture = Self.text("picture", json).flatMap { HTTPAddress($0)?.text }
        did = Self.text("did", json)
        handle = Self.text("handle", json)
    }

    var json: JSONObject {
        var json: JSONObject = [
            "id": .string(id),
            "email_verified": .bool(isEmailVerified),
            "providers": .array(providers.map(JSONValue.string)),
        ]
        if let email { json["email"] = .string(email) }
        if let name { json["name"] = .string(name) }
        if let picture { json["picture"] = .string(picture) }
        if let did { json["did"] = .string(did) }
        if let handle { json["handle"] = .string(handle) }
        return json
    }

    private static func isTextOrAbsent(_ json: JSONObject, _ names: [String]) -> Bool {
        names.allSatisfy { name in
            switch json[name] {
            case nil, .null?, .string?: true
            default: false
            }
        }
    }

    private static func text(_ name: String, _ json: JSONObject) -> String? {
        json.string(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension BackendUser: CustomStringConvertible, CustomReflectable {
    /// Shows the id only: everything else is personal data.
    public var description: String { "BackendUser(\(id))" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// The stored state of a session at a backend.
struct BackendRecord: KeptRecord {
    let id: String
    let backend: String
    let app: String
    /// The session token.
    var accessToken: SecretText
    /// In which cookie it is sent; `nil`: in the `Authorization` field.
    var cookieName: String?
    var receivedAt: Date
    var expiresAt: Date?
    var refreshToken: SecretText?
    var user: BackendUser
    var pending: PendingRefresh?

    init(id: String, backend: String, app: String, answer: BackendAnswer, receivedAt: Date) {
        self.id = id
        self.backend = backend
        self.app = app
        accessToken = answer.tokens.accessToken
        refreshToken = answer.tokens.refreshToken
        cookieName = answer.cookieName
        user = answer.user
        self.receivedAt = receivedAt
        expiresAt = answer.tokens.expiresIn.map { receivedAt.addingTimeInterval(Double($0)) }
    }

    /// The session token, as requests carry it.
    var sentToken: SentToken {
        cookieName.map { .cookie(accessToken, name: $0) } ?? .bearer(accessToken)
    }

    func refreshed(with answer: BackendAnswer, receivedAt: Date) -> BackendRecord {
        BackendRecord(id: id, backend: backend, app: app, answer: answer, receivedAt: receivedAt)
    }
}

/// The storage format of a record. `serialized` marks the calls where tokens leave their wrapper.
extension BackendRecord {
    /// Version 2 has a cookie: to an earlier library it would be a Bearer token.
    static let version: Int64 = 2

    func serialized() -> [UInt8] {
        var json: JSONObject = [
            "version": .integer(cookieName == nil ? 1 : Self.version),
            "id": .string(id),
            "backend": .string(backend),
            "app": .string(app),
            "session_token": .string(accessToken.reveal()),
            "received_at": NumericDate.value(receivedAt),
            "user": .object(user.json),
        ]
        if let cookieName { json["cookie_name"] = .string(cookieName) }
        if let expiresAt { json["expires_at"] = NumericDate.value(expiresAt) }
        if let refreshToken { json["refresh_token"] = .string(refreshToken.reveal()) }
        if let pending { json["pending_refresh"] = .object(pending.json) }
        return json.serialized()
    }

    init?(_ bytes: [UInt8]) {
        // `try?`: every kind of damage has the same outcome. The storage sets the size limit.
        guard let json = try? JSONObject(parsing: bytes, limits: JSONLimits(size: 1 << 20)),
            let version = json.int64("version"), 1...Self.version ~= version,
            (json.string("cookie_name") != nil) == (version == 2),
            let id = json.string("id"), let backend = json.string("backend"),
            let app = json.string("app"),
            let token = json.string("session_token"),
            let receivedAt = json["received_at"].flatMap(NumericDate.date),
            let user = json.object("user").flatMap(BackendUser.init)
        else { return nil }
        self.id = id
        self.backend = backend
        self.app = app
        accessToken = SecretText(token)
        cookieName = json.string("cookie_name")
        self.receivedAt = receivedAt
        self.user = user
        expiresAt = json["expires_at"].flatMap(NumericDate.date)
        refreshToken = json.string("refresh_token").map(SecretText.init)
        pending = json.object("pending_refresh").flatMap(PendingRefresh.init)
    }
}

extension BackendRecord: CustomStringConvertible, CustomReflectable {
    var description: String { "BackendRecord" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
