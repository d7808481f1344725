import Foundation
import HTTPTypes
import Portico

/// What the redirect brings, and what is kept.
struct GuideCredentials: Codable, Sendable {
    /// The value of the cookie `sid`: opaque for the app.
    var sessionToken: String
    let did: String
    /// What the address says, until the backend has said it.
    var handle: String

    var person: Person { Person(did: did, handle: handle) }

    /// The parameters of an address; one that is there twice is empty.
    ///
    /// - Parameters:
    ///   - address: What the app was opened with.
    ///   - redirect: The app's own, without a query.
    static func values(of address: String, at redirect: String) throws(Failure)
        -> [String: String]
    {
        guard address.hasPrefix("\(redirect)?"),
            let items = URLComponents(string: address)?.queryItems
        else { throw .noSession }
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { _, _ in "" }
    }

    init(_ values: [String: String]) throws(Failure) {
        if let error = values["error"] { throw .denied(error) }
        guard let sessionToken = values["session_token"],
            // Nothing that would end the cookie.
            sessionToken.wholeMatch(of: /Fe26\.2\*[A-Za-z0-9*._~-]+/) != nil,
            let did = values["did"], did.hasPrefix("did:"),
            let handle = values["handle"], !handle.isEmpty
        else { throw .noSession }
        self.sessionToken = sessionToken
        self.did = did
        self.handle = handle
    }

    /// - Parameter answer: Of `GET /api/auth/session`.
    /// - Returns: `nil` if it is about another person.
    func session(_ answer: Data) throws -> SessionAnswer? {
        let session = try JSONDecoder().decode(SessionAnswer.self, from: answer)
        return session.authenticated && session.did == did ? session : nil
    }

    /// A request with the cookie, and with the header that no page of another site can send.
    func sent(in request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.headerFields[.cookie] = "sid=\(sessionToken)"
        if let name = HTTPField.Name("X-Portico") { request.headerFields[name] = "1" }
        return request
    }
}

/// `GET /api/auth/session`
struct SessionAnswer: Decodable {
    let authenticated: Bool
    let did: String
    let handle: String
}

/// `GET /mobile/refresh-token`
struct Renewal: Decodable {
    struct Payload: Decodable {
        let did: String
        let sid: String
    }

    let payload: Payload
}

/// A 401 of the backend's own: there is no session, or none that can be used.
struct Absence: Decodable {
    let authenticated: Bool
    let reason: String

    init?(_ reply: HTTPReply) {
        // A 401 of the person's host ends nothing. It may read the same, but never has a challenge.
        // `try?`: nor does one that reads otherwise.
        guard reply.response.status == .unauthorized,
            reply.response.headerFields[.wwwAuthenticate] != nil,
            let absence = try? JSONDecoder().decode(Absence.self, from: Data(reply.body))
        else { return nil }
        self = absence
    }

    /// With `OAUTH_ERROR` the session stays, and a new sign-in helps.
    var isFinal: Bool {
        !authenticated && ["NO_COOKIE", "INVALID_COOKIE", "SESSION_EXPIRED"].contains(reason)
    }
}

extension HTTPReply {
    /// The cookie that the answer sets.
    var sid: String? {
        response.headerFields[values: .setCookie]
            .first { $0.hasPrefix("sid=Fe26.2*") }
            .map { String($0.dropFirst("sid=".count).prefix { $0 != ";" }) }
    }
}
