public import HTTPTypes
import PorticoBytes
public import PorticoProtocol
import PorticoSystem

/// A person with an account at a ``FakeProvider`` or a ``FakeBackend``.
public struct FakePerson: Hashable, Sendable {
    /// `sub`; at a backend, the id of the account.
    public var subject: String
    /// The full name.
    public var name: String?
    /// The email address.
    public var email: String?
    /// Whether the address is verified.
    public var isEmailVerified = true
    /// Roles that do not belong to a client.
    public var roles: Set<String>
    /// Roles of individual clients, by `client_id`.
    public var clientRoles: [String: Set<String>]
    /// Further claims, which replace those made from the other properties.
    public var claims: JSONObject

    /// - Parameters:
    ///   - subject: Different for each person.
    ///   - name: The full name.
    ///   - email: A verified address.
    ///   - roles: Roles that do not belong to a client.
    ///   - clientRoles: Roles by `client_id`.
    ///   - claims: Further claims.
    public init(
        _ subject: String,
        name: String? = nil,
        email: String? = nil,
        roles: Set<String> = [],
        clientRoles: [String: Set<String>] = [:],
        claims: JSONObject = [:]
    ) {
        self.subject = subject
        self.name = name
        self.email = email
        self.roles = roles
        self.clientRoles = clientRoles
        self.claims = claims
    }

    /// Ann Arnold, ann@example.com.
    public static func ann(roles: Set<String> = []) -> FakePerson {
        FakePerson("person-1", name: "Ann Arnold", email: "ann@example.com", roles: roles)
    }

    /// Bob Brown, bob@example.com.
    public static func bob(roles: Set<String> = []) -> FakePerson {
        FakePerson("person-2", name: "Bob Brown", email: "bob@example.com", roles: roles)
    }
}

extension FakePerson {
    /// The claims that a client with this scope gets (OpenID Connect Core §5.4). Roles are where
    /// ``RoleMapping/keycloak`` looks for them.
    func claims(for scope: [Substring]) -> JSONObject {
        var all: JSONObject = ["sub": .string(subject)]
        if scope.contains("profile"), let name { all["name"] = .string(name) }
        if scope.contains("email"), let email {
            all["email"] = .string(email)
            all["email_verified"] = .bool(isEmailVerified)
        }
        if !roles.isEmpty { all["realm_access"] = Self.list(roles) }
        if !clientRoles.isEmpty {
            var clients = JSONObject()
            for (client, roles) in clientRoles { clients[client] = Self.list(roles) }
            all["resource_access"] = .object(clients)
        }
        for (name, value) in claims { all[name] = value }
        return all
    }

    private static func list(_ roles: Set<String>) -> JSONValue {
        ["roles": .array(roles.sorted().map(JSONValue.string))]
    }

    /// Of a sign-in by internet handle: the claim `did`, or one that is made up.
    var did: String { claims.string("did") ?? "did:example:\(subject)" }

    /// The claim `handle`, or one that is made up.
    var handle: String { claims.string("handle") ?? "\(subject).example.com" }

    /// Whether a `login_hint` means this person.
    func isMeant(by hint: String) -> Bool {
        [subject, email, claims.string("preferred_username")]
            .contains { $0.map { sameBytes($0, hint) } ?? false }
    }

    /// The person as a backend shows them to an app.
    var backendUser: JSONObject {
        var user: JSONObject = [
            "id": .string(subject), "email_verified": .bool(isEmailVerified && email != nil),
            "providers": [],
        ]
        if let name { user["name"] = .string(name) }
        if let email { user["email"] = .string(email) }
        for (name, value) in claims { user[name] = value }
        return user
    }
}

/// A request to an API of the app, with a token that is live.
public struct FakeCall: Sendable {
    /// Method, path and fields.
    public let request: HTTPRequest
    /// Empty if there is none.
    public let body: [UInt8]
    /// Whose token it is.
    public let person: FakePerson
}

/// The APIs that a test serves, by origin.
struct FakeServices: Sendable {
    typealias Answer = @Sendable (FakeCall) async -> HTTPReply

    private var answers: [String: Answer] = [:]

    mutating func serve(_ origin: String, _ answer: @escaping Answer) {
        answers[HTTPAddress(origin)?.origin ?? origin] = answer
    }

    subscript(address: HTTPAddress) -> Answer? { answers[address.origin] }
}

/// What a ``FakeProvider`` and a ``FakeBackend`` both keep: people, and the tokens of apps.
protocol FakeState {
    var people: [FakePerson] { get set }
    var families: [TokenFamily] { get set }
}

extension FakeState {
    func person(_ subject: String) -> FakePerson? {
        people.first { sameBytes($0.subject, subject) }
    }

    /// Whose token a request carries, if it is live.
    func person(of request: HTTPRequest, at now: Date) -> FakePerson? {
        guard let token = request.sessionToken else { return nil }
        return families.first { $0.isLive(token, at: now) }.flatMap { person($0.subject) }
    }

    mutating func change(_ person: FakePerson) {
        let index = people.firstIndex { sameBytes($0.subject, person.subject) }
        if let index { people[index] = person } else { people.append(person) }
    }

    /// - Returns: The tokens that a refresh token is good for, by their index.
    mutating func refresh(
        _ request: HTTPRequest,
        _ form: FormParameters,
        _ rotation: RefreshRotation
    ) -> Int? {
        let token = form["refresh_token"] ?? ""
        guard let index = families.firstIndex(where: { $0.has(token) }),
            families[index].use(token, key: request.idempotencyKey, rotation)
        else { return nil }
        return index
    }

    mutating func endFamilies(where isEnding: (TokenFamily) -> Bool = { _ in true }) {
        for index in families.indices where isEnding(families[index]) { families[index].end() }
    }
}

extension HTTPRequest {
    /// What the request carries as a Bearer token, or as the cookie of a backend.
    var sessionToken: String? {
        if let token = token(after: "Bearer ") { return token }
        // As the real one: by the cookie alone, any page could ask.
        guard headerFields[.portico] == "1",
            let cookie = headerFields[.cookie], cookie.hasPrefix("sid=")
        else { return nil }
        return String(cookie.dropFirst(4))
    }

    /// - Parameter scheme: With the space after it.
    func token(after scheme: String) -> String? {
        headerFields[.authorization].flatMap { field in
            field.hasPrefix(scheme) ? String(field.dropFirst(scheme.count)) : nil
        }
    }

    fileprivate var idempotencyKey: String? { headerFields[.idempotencyKey] }
}

/// What becomes of a refresh token that was used (RFC 6749 §6, RFC 9700 §4.14.2).
public enum RefreshRotation: Hashable, Sendable {
    /// It is replaced. A repetition with the same `Idempotency-Key` gets the same successor, as
    /// from Portico's own provider; any other reuse ends the session.
    case idempotent
    /// It is replaced, and a repetition ends the session, as at most providers.
    case plain
    /// It stays valid.
    case reusable
}

/// The tokens of one sign-in, one after the other.
struct TokenFamily: Sendable {
    let number: Int
    let subject: String
    /// What the tokens are bound to, if anything.
    let key: JWKThumbprint?
    /// Whether the session token is a cookie, which replaces itself.
    let isCookie: Bool
    private(set) var isOver = false
    private var generation = 0
    private var lastKey: String?
    private var accessTokens: [String: Date] = [:]

    init(number: Int, subject: String, key: JWKThumbprint? = nil, isCookie: Bool = false) {
        self.number = number
        self.subject = subject
        self.key = key
        self.isCookie = isCookie
    }

    var refreshToken: String { token(of: generation) }

    private func token(of generation: Int) -> String { "refresh-\(number)-\(generation)" }

    /// Whether a token, of now or spent, belongs here.
    func has(_ token: String) -> Bool {
        token.hasPrefix("refresh-\(number)-") || accessTokens[token] != nil
    }

    func isLive(_ accessToken: String, at now: Date) -> Bool {
        accessTokens[accessToken].map { $0 > now } ?? false
    }

    func expiry(of accessToken: String) -> Date? { accessTokens[accessToken] }

    mutating func issue(_ accessToken: String, until expiry: Date) {
        accessTokens[accessToken] = expiry
    }

    mutating func end() {
        isOver = true
        accessTokens = [:]
    }

    /// - Returns: Whether the token is good for new ones.
    mutating func use(_ token: String, key: String?, _ rotation: RefreshRotation) -> Bool {
        guard !isOver else { return false }
        if sameBytes(token, refreshToken) {
            if rotation != .reusable { generation += 1 }
            lastKey = key
            return true
        }
        if rotation == .idempotent, sameBytes(token, self.token(of: generation - 1)), let key,
            let lastKey, sameBytes(key, lastKey)
        {
            return true
        }
        end()
        return false
    }
}
