import PorticoBytes
import PorticoProtocol

/// A backend's answer to a hand-off code or a refresh token: the session's tokens and its user.
struct BackendAnswer: Sendable {
    /// The access token is the session token.
    let tokens: TokenResponse
    let user: BackendUser
    let isNewUser: Bool
    /// In which cookie the session token is sent, after a sign-in by internet handle. There is no
    /// refresh token then: the backend replaces the cookie itself.
    let cookieName: String?

    /// - Throws: malformed if a member is missing or has the wrong type; unknownTokenType.
    init(parsing body: [UInt8]) throws(TokenResponse.Refusal) {
        let json: JSONObject
        do {
            json = try JSONObject(parsing: body)
        } catch {
            throw .malformed
        }
        isNewUser = json.bool("is_new_user") ?? false
        if json.present("cookie_name") != nil {
            tokens = try TokenResponse(json, token: "session_token", type: "cookie")
            guard let name = json.string("cookie_name"), ReceivedCookie.isName(name),
                ReceivedCookie.isValue(tokens.accessToken.reveal()),
                let user = BackendUser(ofHandle: json)
            else { throw .malformed }
            cookieName = name
            self.user = user
            return
        }
        tokens = try TokenResponse(json, token: "session_token")
        guard tokens.refreshToken != nil else { throw .malformed("refresh_token") }
        guard let user = json.object("user").flatMap({ BackendUser($0) }) else {
            throw .malformed("user")
        }
        cookieName = nil
        self.user = user
    }
}

extension BackendUser {
    /// Who signed in by internet handle. A backend that says nothing else of the person names them by
    /// their DID.
    fileprivate init?(ofHandle json: JSONObject) {
        guard let did = json.string("did"), (1...2048).contains(did.utf8.count),
            let handle = json.string("handle")
        else { return nil }
        var person = json.object("user") ?? ["id": .string(did)]
        person["did"] = .string(did)
        person["handle"] = .string(handle)
        self.init(person)
    }
}
