import PorticoBytes
import PorticoProtocol
import PorticoTestSupport

/// A desktop app that waits on a loopback port for its sign-in at the backend.
final class WaitingApp: Sendable {
    private let receiver: LocalServer
    let verifier = CodeVerifier(random: .system)

    init() throws {
        receiver = try LocalServer { _ in
            LocalServer.reply(
                "200 OK",
                ["Content-Type: text/html"],
                "<!doctype html><title>Arrived</title>"
            )
        }
    }

    private var query: [(name: String, value: String)] {
        [
            ("platform", "mobile"), ("app", "notes"), ("state", "app-state"),
            ("redirect_uri", "http://127.0.0.1:\(receiver.port)/callback"),
            ("code_challenge", verifier.challenge.text),
        ]
    }

    /// Where its sign-in begins.
    var login: String { FormEncoding.appending(query, to: "/login") }

    /// What came on its redirect last.
    var answer: [String: String] {
        guard let head = receiver.requests.last(where: { $0.hasPrefix("GET /callback?") }),
            let target = head.split(separator: " ").dropFirst().first,
            let query = target.split(separator: "?").last,
            // `try?`: what is no query has no parameters.
            let form = try? FormParameters(decoding: query.utf8)
        else { return [:] }
        return Dictionary(form.all.map { ($0.name, $0.value) }) { first, _ in first }
    }
}
