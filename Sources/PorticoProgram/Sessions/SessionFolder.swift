import Portico
import PorticoBytes
import PorticoProtocol

/// Where the sessions of `portico login` are kept: a file for each issuer and client, and one that
/// names them, the current one first. Apart from the server's data, which may belong to another user.
struct SessionFolder {
    let path: String

    init(environment: [String: String]) {
        path = SettingsReader.dataHome(environment) + "/portico/sessions"
    }

    func file(of choice: SessionChoice) -> String {
        let name = Hash256(of: "\(choice.issuer)\n\(choice.clientID)").bytes.prefix(12)
        return "\(path)/\(Base64URL.encode(Array(name)))"
    }

    func storage(of choice: SessionChoice) -> PrivateFile {
        PrivateFile(file(of: choice))
    }

    /// The session that commands mean when they name none.
    func current() async throws -> SessionChoice? { try await all().first }

    /// Every sign-in that is kept, the current one first.
    func all() async throws -> [SessionChoice] {
        guard let bytes = try await currentFile.read() else { return [] }
        // `try?`: a malformed file counts as none.
        guard let object = try? JSONObject(parsing: bytes) else { return [] }
        return (object.array("items") ?? []).compactMap { item in
            guard let item = item.object, let issuer = item.string("issuer"),
                let clientID = item.string("client_id")
            else { return nil }
            return SessionChoice(
                issuer: issuer,
                clientID: clientID,
                scopes: item.strings("scope") ?? []
            )
        }
    }

    func use(_ choice: SessionChoice) async throws {
        try await write([choice] + (try await all()).filter { !$0.isSession(of: choice) })
        try await keep(choice.trust, of: choice)
    }

    /// - Returns: What is the current one now, if any is left.
    @discardableResult
    func forget(_ choice: SessionChoice) async throws -> SessionChoice? {
        let left = try await all().filter { !$0.isSession(of: choice) }
        try await write(left)
        return left.first
    }

    private func write(_ choices: [SessionChoice]) async throws {
        guard !choices.isEmpty else { return try await currentFile.remove() }
        let items = choices.map { choice -> JSONValue in
            [
                "issuer": .string(choice.issuer),
                "client_id": .string(choice.clientID),
                "scope": .array(choice.scopes.map(JSONValue.string)),
            ]
        }
        let object: JSONObject = ["items": .array(items)]
        try await currentFile.write(object.serialized())
    }

    /// What was allowed when this session began, which every later ID Token of it needs as well.
    func trust(of choice: SessionChoice) async throws -> SessionTrust {
        guard let bytes = try await trustFile(of: choice).read() else { return SessionTrust() }
        // `try?`: a malformed file allows nothing.
        let object = (try? JSONObject(parsing: bytes)) ?? [:]
        return SessionTrust(
            audiences: object.strings("audiences") ?? [],
            tenantIssuers: object.string("tenant_issuers")
        )
    }

    private func keep(_ trust: SessionTrust, of choice: SessionChoice) async throws {
        let file = trustFile(of: choice)
        guard trust != SessionTrust() else { return try await file.remove() }
        var object: JSONObject = ["audiences": .array(trust.audiences.map(JSONValue.string))]
        object["tenant_issuers"] = trust.tenantIssuers.map(JSONValue.string)
        try await file.write(object.serialized())
    }

    private func trustFile(of choice: SessionChoice) -> PrivateFile {
        PrivateFile(file(of: choice) + "-trust")
    }

    /// Whether a session can be kept here: found out before a person signs in.
    func check() async throws(Failure) {
        let probe = path + "/probe"
        do throws(SignInError) {
            let file = PrivateFile(probe)
            try await file.write(Array("portico".utf8))
            try await file.remove()
        } catch {
            throw Failure(
                .storage,
                "\(error.description) The folder is \(printable(path)).",
                "Choose another folder: XDG_DATA_HOME=DIR portico login"
            )
        }
    }

    private var currentFile: PrivateFile { PrivateFile(path + "/current") }
}

struct SessionChoice: Hashable, Sendable {
    var issuer: String
    var clientID: String
    var scopes: [String]
    var trust = SessionTrust()

    /// Whether both are kept in one file.
    func isSession(of other: SessionChoice) -> Bool {
        sameBytes(issuer, other.issuer) && sameBytes(clientID, other.clientID)
    }

    static let standardClientID = "portico-cli"
    static let standardScopes = ["openid", "profile", "email"]
}

/// What its ID Tokens may say beyond the standards.
struct SessionTrust: Hashable, Sendable {
    var audiences: [String] = []
    /// The issuer in the metadata of a provider with many tenants.
    var tenantIssuers: String?
}
