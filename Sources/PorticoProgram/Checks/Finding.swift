import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSystem

struct Finding: Hashable, Sendable {
    enum Mark: String, Sendable {
        case passed = "✓"
        /// Worth knowing; nothing to fix, or not from here.
        case note = "!"
        case problem = "✗"
    }

    let mark: Mark
    let subject: String
    let text: String
    var fix: String?

    static func passed(_ subject: String, _ text: String) -> Finding {
        Finding(mark: .passed, subject: subject, text: text)
    }

    static func note(_ subject: String, _ text: String, fix: String? = nil) -> Finding {
        Finding(mark: .note, subject: subject, text: text, fix: fix)
    }

    /// A problem always comes with a fix.
    static func problem(_ subject: String, _ text: String, fix: String) -> Finding {
        Finding(mark: .problem, subject: subject, text: text, fix: fix)
    }

    /// As one of several findings about `subject`; what was checked moves into the text.
    func under(_ subject: String) -> Finding {
        Finding(mark: mark, subject: subject, text: "\(self.subject): \(text)", fix: fix)
    }

    var json: JSONObject {
        let result =
            switch mark {
            case .passed: "passed"
            case .note: "note"
            case .problem: "problem"
            }
        return [
            "check": .string(subject),
            "result": .string(result),
            "text": .string(text),
            "fix": fix.map(JSONValue.string) ?? .null,
        ]
    }
}

struct Findings: Sendable {
    private(set) var groups: [(title: String, findings: [Finding])] = []

    mutating func add(_ title: String, _ findings: [Finding]) {
        guard !findings.isEmpty else { return }
        groups.append((title, findings))
    }

    private var all: [Finding] { groups.flatMap(\.findings) }

    func count(_ mark: Finding.Mark) -> Int {
        all.count { $0.mark == mark }
    }

    var json: JSONObject {
        [
            "items": .array(
                groups.flatMap { group in
                    group.findings.map { finding -> JSONValue in
                        var item: JSONObject = ["group": .string(group.title)]
                        for (name, value) in finding.json { item[name] = value }
                        return .object(item)
                    }
                }
            ),
            "passed": .integer(Int64(count(.passed))),
            "notes": .integer(Int64(count(.note))),
            "problems": .integer(Int64(count(.problem))),
        ]
    }

    var summary: String {
        "\(count(.passed)) passed · \(count(.note).counting("note")) · "
            + count(.problem).counting("problem")
    }

    var failure: Failure? {
        let problems = count(.problem)
        guard problems > 0 else { return nil }
        return Failure(
            .problemsFound,
            problems == 1 ? "One problem was found." : "\(problems) problems were found.",
            "Each is listed with its fix."
        )
    }

    fileprivate func lines(_ console: Console) -> [String] {
        let width = all.map(\.subject.count).max() ?? 0
        return groups.flatMap { group in
            [group.title]
                + group.findings.flatMap { finding -> [String] in
                    let subject = printable(finding.subject)
                    let padding = String(repeating: " ", count: max(0, width - subject.count) + 2)
                    let mark = console.dataMark(finding.mark)
                    var lines = ["  \(mark) \(subject)\(padding)\(printable(finding.text))"]
                    if let fix = finding.fix { lines.append("      fix: \(printable(fix))") }
                    return lines
                }
        }
    }

    fileprivate var plain: String {
        groups.flatMap { group in
            group.findings.map { finding in
                [
                    group.title, finding.json.string("result") ?? "", finding.subject,
                    finding.text, finding.fix ?? "",
                ].map(printable).joined(separator: "\t")
            }
        }.joined(separator: "\n")
    }
}

extension Console {
    func show(_ findings: Findings, _ options: ReadOptions) throws(Failure) {
        if options.json {
            try data(findings.json.serialized())
        } else if options.plain {
            try data(findings.plain)
        } else {
            try data(findings.lines(self).joined(separator: "\n"))
            say(findings.summary)
        }
    }

    /// Colour only on a terminal; the sign alone says enough.
    fileprivate func dataMark(_ mark: Finding.Mark) -> String {
        guard showsDataOnTerminal else { return mark.rawValue }
        return switch mark {
        case .passed: coloured(mark.rawValue, .green)
        case .note: coloured(mark.rawValue, .yellow)
        case .problem: coloured(mark.rawValue, .red)
        }
    }
}

extension HTTPTransportError {
    /// The fix where another party's server did not answer.
    var remedy: String {
        switch self {
        case .untrusted:
            "It needs a certificate that this machine trusts; a CA of your own belongs among the "
                + "system's. Or does it speak http there?"
        case .tooLarge, .wrongType, .malformed: "Is this the right address?"
        default: "Is the address right, does it run, and may this machine reach it?"
        }
    }
}

/// Sends requests by another transport and remembers the outcome, so that a command can show it.
struct ObservedTransport: HTTPTransport {
    struct Exchange: Sendable {
        let address: String
        let milliseconds: Int64
        /// When the reply was there. Seconds since 1970.
        let at: Int64
        let result: Result<HTTPReply, HTTPTransportError>

        var reply: HTTPReply? {
            if case .success(let reply) = result { reply } else { nil }
        }

        /// How many seconds this machine is ahead of the one that answered (RFC 9110 §6.6.1).
        var clockLead: Int64? {
            guard let field = reply?.response.headerFields[.date],
                let date = HTTPDate.date(field)
            else { return nil }
            return at - Moment(now: date, random: .system).seconds
        }
    }

    private let next: any HTTPTransport
    private let now: @Sendable () -> Date
    private let seen = Locked<[Exchange]>([])

    init(_ next: any HTTPTransport, now: @escaping @Sendable () -> Date) {
        self.next = next
        self.now = now
    }

    /// Observes from the beginning.
    ///
    /// - Parameter wrap: Puts something before it.
    func anew(_ wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }) -> ObservedTransport {
        ObservedTransport(wrap(next), now: now)
    }

    /// In the order in which they ended.
    var exchanges: [Exchange] { seen.withLock { $0 } }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        let start = ContinuousClock.now
        let result: Result<HTTPReply, HTTPTransportError>
        do throws(HTTPTransportError) {
            result = .success(try await next.send(request, body: body, limits: limits))
        } catch {
            result = .failure(error)
        }
        let time = (ContinuousClock.now - start).components
        let exchange = Exchange(
            address: request.address?.text ?? "",
            milliseconds: time.seconds &* 1000 &+ time.attoseconds / 1_000_000_000_000_000,
            at: Moment(now: now(), random: .system).seconds,
            result: result
        )
        seen.withLock { $0.append(exchange) }
        return try result.get()
    }

    func get(_ address: String) async -> Result<HTTPReply, HTTPTransportError> {
        guard let address = HTTPAddress(address) else { return .failure(.malformed) }
        var request = HTTPRequest(.get, to: address)
        request.headerFields[.accept] = "application/json"
        do throws(HTTPTransportError) {
            return .success(
                try await send(
                    request,
                    body: [],
                    limits: HTTPLimits(bytes: 256 * 1024, seconds: 10)
                )
            )
        } catch {
            return .failure(error)
        }
    }
}
