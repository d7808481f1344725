import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// Authenticates sessions at a backend-for-frontend, which checks each (docs/decisions/0029).
struct SessionAuthentication: Sendable {
    /// Without a trailing slash.
    let base: Issuer
    let transport: any HTTPTransport
    let answers: SessionAnswers
    let clock: Clock

    private static let limits = HTTPLimits(bytes: 64 * 1024, seconds: 5)

    var backend: String { base.text }

    /// The backend's names for them: the prefix is not allowed without https.
    var cookieNames: [String] {
        [
            base.address.isSecure ? "__Host-session" : "portico-dev-session",
            PresentedCredentials.SessionCookie.byHandle,
        ]
    }

    func person(of presented: PresentedCredentials) async throws(Refusal) -> AuthenticatedPerson {
        let asked = clock.moment().now
        let key = Hash256(of: presented.cacheKey)
        if let person = answers.person(key, at: asked) { return person }
        let reply = try await reply(to: presented)
        switch reply.response.status {
        case .ok: break
        case .unauthorized:
            throw Challenges(issuer: backend, takesSessions: true).noSession(Self.reason(reply))
        // Any other answer does not confirm that the session is live.
        default: throw .unavailable
        }
        let (person, expiry) = try read(reply)
        answers.keep(person, for: key, asked: asked, sessionEnd: expiry)
        return person
    }

    /// Sends only the credentials of the request.
    private func reply(to presented: PresentedCredentials) async throws(Refusal) -> HTTPReply {
        guard let address = HTTPAddress(backend + "/v1/auth/session") else { throw .unavailable }
        var request = HTTPRequest(.get, to: address)
        request.headerFields[.accept] = "application/json"
        switch presented {
        case .bearer(let token): request.headerFields[.authorization] = "Bearer \(token)"
        case .cookies(let cookies):
            // One field (RFC 6265 §5.4).
            let text = cookies.map(\.text).joined(separator: "; ")
            request.headerFields.append(HTTPField(name: .cookie, value: text))
        case .proven, .none, .malformed: throw .unavailable
        }
        do {
            return try await transport.send(request, body: [], limits: Self.limits)
        } catch {
            throw .unavailable
        }
    }

    private func read(_ reply: HTTPReply) throws(Refusal) -> (AuthenticatedPerson, Date?) {
        guard reply.isJSON,
            // `try?`: every kind of damage has the same outcome.
            let json = try? JSONObject(parsing: reply.body, limits: .standard),
            json.bool("authenticated") == true,
            let user = json.object("user"),
            let id = user.string("id"), (1...256).contains(id.utf8.count)
        else { throw .unavailable }
        let person = AuthenticatedPerson(
            id: AuthenticatedPerson.ID(issuer: backend, subject: id),
            origin: .session,
            claims: user
        )
        return (person, json.object("session")?["expires_at"].flatMap(NumericDate.date))
    }

    private static func reason(_ reply: HTTPReply) -> NoSession {
        // `try?`: a body that cannot be parsed has no reason.
        guard reply.isJSON, let json = try? JSONObject(parsing: reply.body, limits: .standard),
            let reason = json.string("reason").flatMap(NoSession.init)
        else { return .unknown }
        return reason
    }
}

/// A backend's recent answers about sessions: about live ones only, for seconds, and limited in
/// number so that attackers cannot fill the memory.
final class SessionAnswers: Sendable {
    private struct Answer {
        let person: AuthenticatedPerson
        let asked: Date
        let until: Date
    }

    private static let most = 4096

    private let life: TimeInterval
    private let answers = Locked<[Hash256: Answer]>([:])

    /// - Parameter life: In seconds; zero caches nothing.
    init(life: TimeInterval) {
        self.life = life
    }

    func person(_ key: Hash256, at now: Date) -> AuthenticatedPerson? {
        guard life > 0 else { return nil }
        return answers.withLock { answers in
            guard let answer = answers[key] else { return nil }
            // A clock that was set back does not show how old the answer is.
            guard now >= answer.asked, now < answer.until else {
                answers[key] = nil
                return nil
            }
            return answer.person
        }
    }

    /// - Parameters:
    ///   - asked: When the backend was asked; its answer may be as old as that.
    ///   - sessionEnd: The session is over after that, whatever the answer.
    func keep(_ person: AuthenticatedPerson, for key: Hash256, asked: Date, sessionEnd: Date?) {
        guard life > 0 else { return }
        let end = asked.addingTimeInterval(life)
        let answer = Answer(person: person, asked: asked, until: min(end, sessionEnd ?? end))
        answers.withLock { answers in
            if answers.count >= Self.most {
                answers = answers.filter { $0.value.until > asked && $0.value.asked <= asked }
            }
            if answers.count >= Self.most { answers = [:] }
            answers[key] = answer
        }
    }

    var count: Int { answers.withLock { $0.count } }
}
