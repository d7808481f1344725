import Foundation

/// Load on one server on this machine for a bounded time; prints what it counted as JSON.
///
///     Load MODE PORT REALM CONNECTIONS SECONDS < what it needs
///
/// On standard input a line each: `cookie VALUE` of a browser that has signed in, `pkce VERIFIER
/// CHALLENGE` for one flow, and `provider PORT` where the server is a backend and signs in there.
/// scripts/bench makes them.
@main
enum Load {
    static func main() throws {
        guard let settings = Settings(CommandLine.arguments) else {
            print("Load MODE PORT REALM CONNECTIONS SECONDS < cookies and PKCE pairs")
            exit(2)
        }
        let people = try (0..<settings.connections).map { try settings.caller(number: $0) }
        for person in people { try person.prepare() }

        let results = Results()
        let start = DispatchTime.now()
        let end = start + .milliseconds(Int(settings.seconds * 1000))
        let group = DispatchGroup()
        for person in people {
            group.enter()
            nonisolated(unsafe) let person = person
            Thread.detachNewThread {
                results.add(run(person, until: end))
                group.leave()
            }
        }
        group.wait()
        let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
        print(results.summary(elapsed: elapsed))
        if results.failure != nil { exit(1) }
    }

    private static func run(
        _ person: any Caller,
        until end: DispatchTime
    ) -> (microseconds: [Int], failure: String?) {
        var durations: [Int] = []
        durations.reserveCapacity(100_000)
        var now = DispatchTime.now()
        while now < end {
            do { try person.once() } catch { return (durations, "\(error)") }
            let then = DispatchTime.now()
            durations.append(Int((then.uptimeNanoseconds - now.uptimeNanoseconds) / 1000))
            now = then
        }
        return (durations, nil)
    }
}

/// Somebody who does the same again and again, on connections of their own.
protocol Caller: AnyObject {
    /// What is done before the clock starts.
    func prepare() throws
    /// What is counted and timed.
    func once() throws
}

final class Results: @unchecked Sendable {
    private let lock = NSLock()
    private var durations: [Int] = []
    private(set) var failure: String?

    func add(_ result: (microseconds: [Int], failure: String?)) {
        lock.lock()
        defer { lock.unlock() }
        durations += result.microseconds
        failure = failure ?? result.failure
    }

    func summary(elapsed: Double) -> String {
        durations.sort()
        func percentile(_ share: Double) -> Int {
            durations.isEmpty ? 0 : durations[Int(Double(durations.count - 1) * share)]
        }
        let count = durations.count
        return """
            {"count": \(count), "seconds": \(elapsed), "p50": \(percentile(0.5)), \
            "p99": \(percentile(0.99)), "failure": \(failure.map { "\"\($0.debugDescription.dropFirst())" } ?? "null")}
            """
    }
}

struct Settings: Sendable {
    enum Mode: String {
        case flow, refresh, authorize, redeem, userinfo, discovery
        /// UserInfo with a token that is bound to a key, and a proof each time.
        case bound
        /// Of the backend; `seal` with the cookies of people who signed in by handle.
        case session, seal, signin, start, choose
    }

    let mode: Mode
    let port: UInt16
    let realm: String
    let connections: Int
    let seconds: Double
    let cookies: [String]
    let pairs: [(verifier: String, challenge: String)]
    /// The port of the provider that a backend signs in with.
    let provider: UInt16?

    var path: String { "\(realm)/protocol/openid-connect" }

    init?(_ arguments: [String]) {
        guard arguments.count == 6, let mode = Mode(rawValue: arguments[1]),
            let port = UInt16(arguments[2]), let connections = Int(arguments[4]),
            (1...256).contains(connections), let seconds = Double(arguments[5]),
            (0...60).contains(seconds)
        else { return nil }
        self.mode = mode
        self.port = port
        realm = arguments[3]
        self.connections = connections
        self.seconds = seconds
        var cookies: [String] = []
        var pairs: [(String, String)] = []
        var provider: UInt16?
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2 else { return nil }
            if words[0] == "cookie" {
                cookies.append(words[1])
            } else if words[0] == "provider" {
                provider = UInt16(words[1])
            } else {
                let pair = words[1].split(separator: " ").map(String.init)
                guard pair.count == 2 else { return nil }
                pairs.append((pair[0], pair[1]))
            }
        }
        guard !cookies.isEmpty, !pairs.isEmpty else { return nil }
        self.cookies = cookies
        self.pairs = pairs
        self.provider = provider
    }

    func caller(number: Int) throws -> any Caller {
        switch mode {
        case .session, .seal, .signin, .start, .choose: try Visitor(self, number: number)
        default: try Person(self, number: number)
        }
    }
}
