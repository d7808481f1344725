import Foundation

/// A browser at the backend, on one connection, and at the provider on another.
final class Visitor: Caller {
    private let backend: Connection
    private let provider: Connection?
    private let settings: Settings
    private let number: Int
    private var count = 0

    /// The addresses of two runs in one minute are not the same.
    private static let run = Int.random(in: 11...222)

    init(_ settings: Settings, number: Int) throws {
        self.settings = settings
        self.number = number
        backend = try Connection(port: settings.port)
        provider = try settings.provider.map { try Connection(port: $0) }
    }

    func prepare() throws {}

    func once() throws {
        count += 1
        switch settings.mode {
        case .session: try session()
        case .seal: try seal()
        case .signin: try signIn()
        case .start: _ = try start()
        default: try choose()
        }
    }

    /// What every request to a team's services asks: `GET /v1/auth/session`.
    private func session() throws {
        let cookie = settings.cookies[(number + count * 7) % settings.cookies.count]
        let answer = try get("/v1/auth/session", cookie: cookie)
        guard answer.status == 200 else { throw answer.unexpected }
    }

    /// The same of an app that has nothing but its `sid`. Each cookie comes once before any comes
    /// again.
    private func seal() throws {
        let index = (number + count * settings.connections) % settings.cookies.count
        let answer = try get("/api/auth/session", cookie: settings.cookies[index])
        guard answer.status == 200 else { throw answer.unexpected }
    }

    /// The page with the ways to sign in.
    private func choose() throws {
        let answer = try get("/login", cookie: "")
        guard answer.status == 200 else { throw answer.unexpected }
    }

    /// A person of the provider's, who is signed in there, comes back to their account.
    private func signIn() throws {
        let (address, cookies) = try start()
        guard let provider, let port = settings.provider,
            let path = Self.path(address, port: port)
        else { throw Connection.Failure(description: "no provider: \(address)") }
        let person = settings.cookies[(number + count * 7) % settings.cookies.count]
        let answered = try provider.exchange(Self.request(path, port: port, cookie: person))
        guard answered.status == 302 || answered.status == 303,
            let callback = answered.field("location"),
            let way = Self.path(callback, port: settings.port)
        else { throw answered.unexpected }
        let done = try get(way, cookie: cookies)
        guard done.status == 303, done.text(after: "error=", until: [13]) == nil,
            done.fields("set-cookie").contains(where: { $0.contains("session=") })
        else { throw done.unexpected }
    }

    /// Where the provider is asked, and the cookies of the attempt.
    private func start() throws -> (address: String, cookies: String) {
        let answer = try get("/v1/auth/bench?return_to=/dashboard", cookie: "")
        guard answer.status == 303, let address = answer.field("location") else {
            throw answer.unexpected
        }
        let cookies = answer.fields("set-cookie").compactMap { $0.split(separator: ";").first }
        return (address, cookies.joined(separator: "; "))
    }

    /// Each request comes from an address of its own, as behind a proxy: the limits are for an
    /// address.
    private func get(_ path: String, cookie: String) throws -> Answer {
        let address = "\(Self.run).\(number % 256).\(count >> 8 & 255).\(count & 255)"
        let forwarded = "X-Forwarded-For: \(address)\r\nX-Forwarded-Proto: http\r\n"
        return try backend.exchange(
            Self.request(path, port: settings.port, cookie: cookie, more: forwarded)
        )
    }

    private static func request(_ path: String, port: UInt16, cookie: String, more: String = "")
        -> String
    {
        """
        GET \(path) HTTP/1.1\r
        Host: 127.0.0.1:\(port)\r
        Accept: text/html\r
        \(cookie.isEmpty ? "" : "Cookie: \(cookie)\r\n")\(more)\r

        """
    }

    /// The path and query of an address of this machine.
    private static func path(_ address: String, port: UInt16) -> String? {
        let origin = "http://127.0.0.1:\(port)"
        return address.hasPrefix(origin) ? String(address.dropFirst(origin.count)) : nil
    }
}
