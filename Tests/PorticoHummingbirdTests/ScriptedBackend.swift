import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// A backend that knows some sessions, and keeps what it was asked.
final class ScriptedBackend: HTTPTransport {
    static let address = "https://api.notes.example.com"

    private struct State {
        /// By what the request brings, whole: `Bearer S1`, `__Host-session=C1`.
        var sessions = ["Bearer S1", "__Host-session=C1", "portico-dev-session=C1"]
        var asked: [HTTPRequest] = []
        var answer: (@Sendable () throws(HTTPTransportError) -> HTTPReply)?
    }

    private let state = Locked(State())

    var asked: [HTTPRequest] { state.withLock { $0.asked } }

    func admit(_ sessions: [String]) {
        state.withLock { $0.sessions = sessions }
    }

    func endSessions() {
        state.withLock { $0.sessions = [] }
    }

    func answer(_ answer: @escaping @Sendable () throws(HTTPTransportError) -> HTTPReply) {
        state.withLock { $0.answer = answer }
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        let (answer, isLive) = state.withLock { state in
            state.asked.append(request)
            let brought = [request.headerFields[.authorization], request.headerFields[.cookie]]
            return (state.answer, brought.contains { state.sessions.contains($0 ?? "") })
        }
        if let answer { return try answer() }
        return isLive ? Self.live() : Self.refused("SESSION_EXPIRED")
    }

    static func live(_ session: JSONObject = ["id": "s-1"]) -> HTTPReply {
        json(
            200,
            [
                "authenticated": true,
                "user": [
                    "id": "u-1", "email": "ann@example.com", "email_verified": true,
                    "name": "Ann",
                ],
                "session": .object(session),
            ]
        )
    }

    static func refused(_ reason: String) -> HTTPReply {
        json(
            401,
            [
                "authenticated": false, "error": "unauthorized", "reason": .string(reason),
                "message": "SECRET words",
            ]
        )
    }

    static func json(_ status: Int, _ object: JSONObject) -> HTTPReply {
        HTTPReply(
            response: HTTPResponse(
                status: .init(code: status),
                headerFields: [.contentType: "application/json"]
            ),
            body: object.serialized()
        )
    }
}
