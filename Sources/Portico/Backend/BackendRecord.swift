import PorticoBytes
import PorticoProtocol
import PorticoSystem

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
