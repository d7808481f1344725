import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// The cookie of a session at a backend, after a sign-in by internet handle (docs/decisions/0065).
///
/// It has no second token. The backend replaces it from time to time, and ends the session by
/// refusing it.
struct CookieSource: TokenSource {
    let session: BackendSession

    var exchange: ProviderHTTP { session.client.context.http }
    /// As a browser would: a service elsewhere cannot be asked by cookie.
    var origins: [String] { [session.endpoint.base.address.origin] }
    var allowsInsecureLoopback: Bool { session.client.options.allowInsecureLoopback }

    func token() async throws(SignInError) -> SentToken {
        try session.activeRecord().sentToken
    }

    func token(replacing used: SecretText) async throws(SignInError) -> SentToken? { nil }

    func token(in request: HTTPRequest) -> SentToken? {
        // `try?`: a session that has ended has no cookie.
        guard let name = (try? session.activeRecord())?.cookieName,
            let field = request.headerFields[.cookie], field.utf8.starts(with: "\(name)=".utf8)
        else { return nil }
        return .cookie(SecretText(String(field.dropFirst(name.utf8.count + 1))), name: name)
    }

    func isRefusal(_ reply: HTTPReply) -> Bool { false }

    func took(_ reply: HTTPReply, to token: SentToken) async throws(SignInError) {
        // Any address of the backend may answer 401 for a reason of its own. What a person's host says
        // comes without a challenge, whatever its body is (docs/decisions/0063).
        if reply.response.headerFields[.wwwAuthenticate] != nil,
            let absence = SessionAbsence(reply), absence.isFinal
        {
            throw try await session.ending(refused: token.text, absence)
        }
        await session.keepCookie(of: reply)
    }
}

extension BackendSession {
    /// As ``check()``, by the cookie.
    func checkCookie() async throws(SignInError) {
        // Another process may have a newer one.
        let record = try await storedRecord()
        guard show(record) else {
            _ = try activeRecord()
            return
        }
        let reply = try await endpoint.session(of: record.sentToken)
        if reply.response.status == .unauthorized {
            let absence = SessionAbsence(reply)
            guard absence?.isFinal ?? true else {
                throw SignInError(.interactionRequired(.loginRequired), absence)
            }
            throw try await ending(refused: record.accessToken, absence)
        }
        await keepCookie(of: reply)
        let handle = try endpoint.handle(in: reply, of: record.user)
        guard handle != record.user.handle else { return }
        var user = record.user
        user.handle = handle
        try await keep(user)
    }

    /// Stores a cookie that an answer sets, and then uses it. One that cannot be stored now is not
    /// used: the one before it is still good, and the next answer brings another.
    func keepCookie(of reply: HTTPReply) async {
        do throws(SignInError) {
            let used = try activeRecord()
            guard let name = used.cookieName, let cookie = ReceivedCookie(named: name, in: reply),
                cookie.value != used.accessToken
            else { return }
            let lock = try await storage.lock(patience: .seconds(5))
            defer { lock.release() }
            var record = try await storedRecord()
            let life = cookie.maxAge.map(TimeInterval.init) ?? record.life
            record.accessToken = cookie.value
            record.receivedAt = now()
            record.expiresAt = now().addingTimeInterval(life)
            try await store(record, replacing: record.refreshToken, under: lock)
        } catch {
            // The answer itself is good, whatever becomes of the cookie.
        }
    }

    /// - Returns: The error for the caller.
    fileprivate func ending(refused cookie: SecretText, _ absence: SessionAbsence?)
        async throws(SignInError) -> SignInError
    {
        let lock = try await storage.lock(patience: .refresh)
        defer { lock.release() }
        let ending = try await ending(refused: cookie, under: lock) { $0.accessToken }
        return SignInError(ending.kind, absence)
    }
}

/// Why a backend has no session for a request (docs/decisions/0029).
struct SessionAbsence: Sendable {
    let reason: String
    let message: String?

    /// - Returns: `nil` if the reply is no such 401.
    init?(_ reply: HTTPReply) {
        guard reply.response.status == .unauthorized, reply.isJSON,
            // `try?`: a reply that is no JSON does not say it.
            let json = try? JSONObject(parsing: reply.body, limits: .foreign(size: 64 * 1024)),
            json.bool("authenticated") == false, let reason = json.string("reason")
        else { return nil }
        self.reason = reason
        message = json.string("message")
    }

    /// Otherwise the session is there, and cannot be used now.
    var isFinal: Bool {
        ["NO_COOKIE", "INVALID_COOKIE", "SESSION_EXPIRED"].contains { sameBytes($0, reason) }
    }
}

extension SignInError {
    fileprivate init(_ kind: Kind, _ absence: SessionAbsence?) {
        self.init(kind)
        providerError = absence.map {
            ProviderError(
                ErrorResponse(OAuthError.Code(rawValue: $0.reason), description: $0.message)
            )
        }
    }
}

extension BackendEndpoint {
    /// The answer about the session of a cookie.
    fileprivate func session(of token: SentToken) async throws(SignInError) -> HTTPReply {
        try await http.get(
            base.text + "/api/auth/session",
            with: token,
            limits: Self.limits,
            check: .backendAnswer
        )
    }

    /// The person's handle as the backend knows it now.
    fileprivate func handle(in reply: HTTPReply, of user: BackendUser) throws(SignInError)
        -> String
    {
        guard reply.response.status == .ok else { throw http.failure(of: reply) }
        guard reply.isJSON,
            // `try?`: every kind of damage has the same outcome.
            let json = try? JSONObject(parsing: reply.body),
            json.bool("authenticated") == true,
            let did = json.string("did"), let handle = json.string("handle"), !handle.isEmpty
        else { throw SignInError(.rejected(.backendAnswer)) }
        guard let known = user.did, sameBytes(did, known) else {
            throw SignInError(.rejected(.subject))
        }
        return handle
    }
}

/// A cookie that an answer sets (RFC 6265 §5.2). Its attributes for browsers mean nothing here: it is
/// sent to the backend's own origin only.
struct ReceivedCookie: Sendable {
    let value: SecretText
    /// `Max-Age`, in seconds.
    let maxAge: Int64?

    /// Of a value, in bytes.
    private static let longest = 8 * 1024

    /// - Returns: `nil` if the answer sets no cookie of that name, sets it twice, or takes it back.
    init?(named name: String, in reply: HTTPReply) {
        let prefix = Array("\(name)=".utf8)
        let fields = reply.response.headerFields[values: .setCookie].filter {
            $0.utf8.starts(with: prefix)
        }
        guard fields.count == 1, let field = fields.first, field.utf8.count <= Self.longest + 1024
        else { return nil }
        let parts = field.utf8.dropFirst(prefix.count).split(
            separator: UInt8(ascii: ";"),
            omittingEmptySubsequences: false
        )
        guard let text = parts.first.map({ String(Substring($0)) }), Self.isValue(text) else {
            return nil
        }
        value = SecretText(text)
        maxAge = parts.dropFirst().compactMap(Self.maxAge).last
        // A cookie whose time is over is taken back (RFC 6265 §5.3).
        guard maxAge != 0 else { return nil }
    }

    private static func maxAge(_ attribute: Substring.UTF8View) -> Int64? {
        let text = attribute.drop { $0 == UInt8(ascii: " ") }
        let name = Array("max-age=".utf8)
        guard text.prefix(name.count).map(\.lowercased) == name else { return nil }
        let digits = text.dropFirst(name.count)
        return digits.first == UInt8(ascii: "-") ? 0 : Int64(digits: digits, atMost: 9)
    }

    /// A token (RFC 6265 §4.1.1).
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    /// A value without quotation marks, and not too long.
    static func isValue(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isVisible && !"\",;\\".utf8.contains($0) }
    }
}
