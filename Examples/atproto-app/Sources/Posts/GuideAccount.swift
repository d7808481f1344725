import Foundation
import HTTPTypes
import Portico

/// The session as the AT Protocol guide for mobile apps has it, by requests of our own: the redirect
/// brings the session itself, and the app sends it as the cookie `sid`.
///
/// Anyone who sees that address has the session, and anyone can have the system open the app with
/// an address of theirs, in which all is true. So an address counts only if it answers a sign-in
/// that this app began, once; and the backend says who it is. Prefer ``LibraryAccount``.
struct GuideAccount: Account {
    let backend: String
    let redirect: String
    let storage: any SessionStorage
    /// Has the `state` of the sign-in that the app began last, until its answer comes.
    let begun: any SessionStorage
    private let http = SystemTransport()

    func signIn(handle: String?) async throws -> Person? {
        // 122 random bits.
        let state = UUID().uuidString
        var address = "\(backend)/mobile-auth?state=\(state)"
        if let handle, var login = URLComponents(string: "\(backend)/login") {
            login.queryItems = [
                URLQueryItem(name: "handle", value: handle),
                URLQueryItem(name: "mobile", value: "true"),
                URLQueryItem(name: "state", value: state),
            ]
            address = login.string ?? address
        }
        try await begun.write(Array(state.utf8))
        try await ShownBrowser().open(address)
        Posts.say("Then, with the address that the browser cannot open: posts came")
        return nil
    }

    /// The system hands over an address of the app's own scheme.
    func came(_ address: String) async throws -> Person {
        let values = try GuideCredentials.values(of: address, at: redirect)
        guard let asked = try await begun.read(), let state = values["state"],
            asked.elementsEqual(state.utf8)
        else { throw Failure.notAsked }
        try await begun.remove()
        var credentials = try GuideCredentials(values)
        let reply = try await exchange(request(.get, "/api/auth/session"), [], by: credentials)
        guard reply.response.status == .ok,
            let session = try credentials.session(Data(reply.body))
        else { throw Failure.notOurs }
        credentials.handle = session.handle
        if let other = try await stored(), other.did != credentials.did {
            // `try?`: the unused session then ends by age.
            _ = try? await exchange(request(.post, "/api/auth/logout"), [], by: credentials)
            throw Failure.signedInAs(other.handle)
        }
        try await keep(credentials)
        return credentials.person
    }

    func restore() async throws -> Person? {
        try await stored()?.person
    }

    func validate() async throws -> Validity {
        let (body, status): (Data, Int)
        do {
            (body, status) = try await send(request(.get, "/api/auth/session"), [])
        } catch Failure.ended {
            return .over
        } catch let error as HTTPTransportError {
            return .unknown(error.description)
        }
        guard status == 200 else { return .unknown("The server answered \(status).") }
        guard try await stored()?.session(body) != nil else { throw Failure.notOurs }
        return .live
    }

    func send(_ request: HTTPRequest, _ body: [UInt8]) async throws -> (body: Data, status: Int) {
        guard var credentials = try await stored() else { throw Failure.signedOut }
        let reply = try await exchange(request, body, by: credentials)
        let data = Data(reply.body)
        if Absence(reply)?.isFinal == true {
            try await storage.remove()
            throw Failure.ended
        }
        // The backend replaces the cookie from time to time. It is stored before it is used.
        if let cookie = reply.sid {
            credentials.sessionToken = cookie
            try await keep(credentials)
        }
        return (data, reply.response.status.code)
    }

    func renew() async throws {
        let (body, status) = try await send(request(.get, "/mobile/refresh-token"), [])
        guard status == 200, var credentials = try await stored() else {
            throw Failure.answered(status)
        }
        let payload = try JSONDecoder().decode(Renewal.self, from: body).payload
        guard payload.did == credentials.did else { throw Failure.notOurs }
        credentials.sessionToken = payload.sid
        try await keep(credentials)
    }

    func signOut() async throws -> Bool {
        guard let credentials = try await stored() else { throw Failure.signedOut }
        try await storage.remove()
        do {
            let request = request(.post, "/api/auth/logout")
            let reply = try await exchange(request, [], by: credentials)
            return reply.response.status == .ok
        } catch {
            return false
        }
    }

    private func exchange(_ request: HTTPRequest, _ body: [UInt8], by credentials: GuideCredentials)
        async throws -> HTTPReply
    {
        try await http.send(
            credentials.sent(in: request),
            body: body,
            limits: HTTPLimits(bytes: 16 << 20, seconds: 60)
        )
    }

    private func stored() async throws -> GuideCredentials? {
        guard let record = try await storage.read() else { return nil }
        return try JSONDecoder().decode(GuideCredentials.self, from: Data(record))
    }

    private func keep(_ credentials: GuideCredentials) async throws {
        try await storage.write([UInt8](try JSONEncoder().encode(credentials)))
    }
}
