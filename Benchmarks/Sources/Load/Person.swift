import Foundation

/// One native app and the browser beside it, on one connection.
final class Person: Caller {
    private let connection: Connection
    private let settings: Settings
    private let number: Int
    private var count = 0
    /// Each flow has a challenge of its own, as it must: the server tells of one that comes again.
    private var pair: (verifier: String, challenge: String)
    private var refreshToken = ""
    private var accessToken = ""
    private let proofs = ProofMaker()
    /// Of the newest answer that had one.
    private var nonce = ""
    /// Made before the clock starts: a phone makes its own, beside the server and not on it.
    private var ready: [String] = []

    init(_ settings: Settings, number: Int) throws {
        self.settings = settings
        self.number = number
        pair = settings.pairs[number % settings.pairs.count]
        connection = try Connection(port: settings.port)
    }

    /// What is done before the clock starts.
    func prepare() throws {
        switch settings.mode {
        case .refresh, .userinfo: try redeem(authorize())
        case .bound:
            // Every answer of the endpoint has a nonce.
            let asked = try connection.exchange(
                "GET \(settings.path)/token HTTP/1.1\r\nHost: 127.0.0.1:\(settings.port)\r\n\r\n"
            )
            nonce = asked.field("dpop-nonce") ?? ""
            let proof = try proofs.proof("POST", address("token"), nonce: nonce)
            try redeem(authorize(), more: "DPoP: \(proof)\r\n")
            // Not more than are used up: the server closes a connection that waits for ten seconds.
            ready = try (0..<Int(settings.seconds * 400)).map { _ in try userInfoProof() }
        default: break
        }
    }

    private func userInfoProof() throws -> String {
        try proofs.proof("GET", address("userinfo"), nonce: nonce, token: accessToken)
    }

    func once() throws {
        count += 1
        switch settings.mode {
        case .flow:
            try redeem(authorize())
            try userInfo("Bearer")
        case .refresh: try refresh()
        case .authorize: _ = try authorize()
        case .redeem: try redeem(authorize())
        case .userinfo: try userInfo("Bearer")
        case .bound:
            let proof = try ready.popLast() ?? userInfoProof()
            try userInfo("DPoP", more: "DPoP: \(proof)\r\n")
        case .discovery: try discovery()
        case .session, .seal, .signin, .start, .choose: break
        }
    }

    /// A live browser session asks for a code (RFC 6749 §4.1.1).
    private func authorize() throws -> String {
        pair =
            settings.pairs[
                (number + count * settings.connections) % settings.pairs.count
            ]
        let cookie = settings.cookies[(number + count * 7) % settings.cookies.count]
        let answer = try connection.exchange(
            """
            GET \(settings.path)/auth?response_type=code&client_id=bench&redirect_uri=\
            http%3A%2F%2F127.0.0.1%3A49153%2Fcallback&scope=openid%20profile%20email&state=\
            s\(number)-\(count)-0123456789&nonce=n\(number)-\(count)-0123456789&code_challenge=\
            \(pair.challenge)&code_challenge_method=S256 HTTP/1.1\r
            Host: 127.0.0.1:\(settings.port)\r
            Accept: text/html\r
            Cookie: \(cookie)\r
            \r\n
            """
        )
        guard answer.status == 303 || answer.status == 302,
            let code = answer.text(after: "code=", until: [0x26, 13])
        else { throw answer.unexpected }
        return code
    }

    private func redeem(_ code: String, more: String = "") throws {
        try token(
            """
            grant_type=authorization_code&client_id=bench&code=\(code)&redirect_uri=\
            http%3A%2F%2F127.0.0.1%3A49153%2Fcallback&code_verifier=\(pair.verifier)
            """,
            more: more
        )
    }

    /// As our client library refreshes: each with a key of its own.
    private func refresh() throws {
        try token(
            "grant_type=refresh_token&client_id=bench&refresh_token=\(refreshToken)",
            more: "Idempotency-Key: k\(number)-\(count)-0123456789\r\n"
        )
    }

    private func token(_ form: String, more: String = "") throws {
        let answer = try connection.exchange(
            """
            POST \(settings.path)/token HTTP/1.1\r
            Host: 127.0.0.1:\(settings.port)\r
            Accept: application/json\r
            Content-Type: application/x-www-form-urlencoded\r
            Content-Length: \(form.utf8.count)\r
            \(more)\r
            \(form)
            """
        )
        guard answer.status == 200,
            let access = answer.text(after: "\"access_token\":\"", until: [0x22]),
            let refresh = answer.text(after: "\"refresh_token\":\"", until: [0x22])
        else { throw answer.unexpected }
        accessToken = access
        refreshToken = refresh
    }

    private func address(_ endpoint: String) -> String {
        "http://127.0.0.1:\(settings.port)\(settings.path)/\(endpoint)"
    }

    private func userInfo(_ scheme: String, more: String = "") throws {
        let answer = try connection.exchange(
            """
            GET \(settings.path)/userinfo HTTP/1.1\r
            Host: 127.0.0.1:\(settings.port)\r
            Authorization: \(scheme) \(accessToken)\r
            \(more)\r\n
            """
        )
        guard answer.status == 200 else { throw answer.unexpected }
        nonce = answer.field("dpop-nonce") ?? nonce
    }

    /// Stored bytes: what a request costs in itself.
    private func discovery() throws {
        let answer = try connection.exchange(
            """
            GET \(settings.realm)/.well-known/openid-configuration HTTP/1.1\r
            Host: 127.0.0.1:\(settings.port)\r
            \r\n
            """
        )
        guard answer.status == 200 else { throw answer.unexpected }
    }

}
