import Portico
import PorticoBytes
import PorticoProtocol

/// Where the sessions of `portico login` are kept: a file for each issuer and client, and one that
/// names the current one. Apart from the server's data, which may belong to another user.
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
    func current() async throws -> SessionChoice? {
        guard let bytes = try await currentFile.read() else { return nil }
        // `try?`: a malformed file counts as none.
        guard let object = try? JSONObject(parsing: bytes), let issuer = object.string("issuer"),
            let clientID = object.string("client_id")
        else { return nil }
        return SessionChoice(
            issuer: issuer,
            clientID: clientID,
            scopes: object.strings("scope") ?? []
        )
    }

    func use(_ choice: SessionChoice) async throws {
        let object: JSONObject = [
            "issuer": .string(choice.issuer),
            "client_id": .string(choice.clientID),
            "scope": .array(choice.scopes.map(JSONValue.string)),
        ]
        try await currentFile.write(object.serialized())
    }

    func forgetCurrent() async throws {
        try await currentFile.remove()
    }

    private var currentFile: PrivateFile { PrivateFile(path + "/current") }
}

/// Which provider, and which client there.
struct SessionChoice: Hashable, Sendable {
    var issuer: String
    var clientID: String
    var scopes: [String]

    static let standardClientID = "portico-cli"
    static let standardScopes = ["openid", "profile", "email"]
}
