import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// Which nonces a server gave to somebody who asked all the time, and when it refused each, in
/// seconds since they began.
struct NonceRotation {
    struct Nonce {
        let text: String
        /// When it was first seen.
        let given: Int64
        /// When it was first refused; `nil` if it never was.
        let refused: Int64?
    }

    /// In order. The first one was given before, too.
    let nonces: [Nonce]

    /// Of our own: they change at the 40th second of each minute, which is seen up to two seconds
    /// later.
    static let own = NonceRotation(nonces: [
        Nonce(text: "n-0", given: 0, refused: 161), Nonce(text: "n-1", given: 40, refused: 222),
        Nonce(text: "n-2", given: 101, refused: 280), Nonce(text: "n-3", given: 160, refused: 342),
        Nonce(text: "n-4", given: 222, refused: nil), Nonce(text: "n-5", given: 280, refused: nil),
        Nonce(text: "n-6", given: 341, refused: nil),
    ])

    /// The second of a minute at which they change.
    private var phase: Int64 { nonces.dropFirst().map { $0.given % 60 }.min() ?? 0 }

    /// How much later it was seen, at most.
    private var delay: Int64 { (nonces.dropFirst().map { $0.given % 60 }.max() ?? 0) - phase }

    /// When something was seen, and the last moments at which refused ones were still good.
    private var seconds: [Int64] {
        let refused = nonces.compactMap(\.refused)
        return Set(nonces.map(\.given) + refused + refused.map { $0 - delay - 1 }).sorted()
    }
}

extension NonceRotation {
    init(recorded bytes: [UInt8]) throws {
        var given: [(text: String, second: Int64)] = []
        var refused: [String: Int64] = [:]
        let events = try JSONValue(parsing: bytes, limits: JSONLimits(size: 1 << 20)).array
        for event in try #require(events).compactMap({ $0.object }) {
            let text = try #require(event.string("n"))
            let second = try #require(event.int64("at_s"))
            if event.string("event") == "new nonce" {
                given.append((text, second))
            } else {
                #expect(event.object("answer")?.string("error") == "use_dpop_nonce")
                refused[text] = second
            }
        }
        self.init(
            nonces: given.map { Nonce(text: $0.text, given: $0.second, refused: refused[$0.text]) }
        )
    }

    /// Ours, given at the same times, are good as long as those were, and refused from when those
    /// were.
    func checkOurs() throws {
        try #require(nonces.count > 5 && delay < 10)
        // A minute of ours begins where one of theirs did.
        let start = 1_800_000_000 - phase
        let ours = DPoPNonces(secret: [UInt8](repeating: 1, count: 32))
        let judge = DPoPJudge(nonce: { ours.isGood($0, at: $1) })
        let key = try DPoPKey(random: .system)
        let address = try #require(HTTPAddress("https://op.example.com/token"))
        let request = DPoPJudge.Request(method: .post, address: address.text)
        func judged(_ nonce: String, at second: Int64) throws -> DPoPRefusal? {
            let time = Date(timeIntervalSince1970: Double(start + second))
            let moment = Moment(now: time, random: .system)
            let proof = try key.proof(.post, address, nonce: nonce, at: moment)
            do throws(DPoPRefusal) {
                _ = try judge([proof], for: request, at: start + second)
                return nil
            } catch {
                return error
            }
        }
        var (taken, refused) = (0, 0)
        for nonce in nonces {
            let own = try #require(ours.current(at: start + nonce.given))
            let end = nonce.refused ?? .max
            for second in seconds where second >= nonce.given {
                let refusal = try judged(own, at: second)
                let what: Comment = "\(nonce.text), given at \(nonce.given), at \(second)"
                if second >= end {
                    #expect(refusal == .nonce, what)
                    #expect(refusal?.error.code == .useDPoPNonce, what)
                    refused += 1
                } else if second < end - delay {
                    #expect(refusal == nil, what)
                    taken += 1
                }
            }
        }
        #expect(taken > 30 && refused > 10, "\(taken), \(refused)")
    }

    /// Our client asks such a server twice where its nonce is refused by now, and only there.
    func checkClient() async throws {
        let last = try #require(seconds.last)
        // A long body goes out with a nonce that is a minute old at most.
        for pause in [20, 60] as [Int64] {
            let server = try RotatingServer(self)
            for second in stride(from: 0, through: last, by: Int64.Stride(pause)) {
                let answer = try await server.ask(at: second)
                #expect(answer.reply.response.status == .ok, "\(second)")
                #expect(answer.tries == (second == 0 ? 2 : 1), "\(second)")
            }
        }
        for nonce in nonces {
            guard let refused = nonce.refused else { continue }
            for (second, tries) in [(refused - 1, 1), (refused, 2)] {
                let server = try RotatingServer(self)
                _ = try await server.ask(at: nonce.given)
                let answer = try await server.ask(at: second)
                #expect(answer.reply.response.status == .ok, "\(nonce.text) at \(second)")
                #expect(answer.tries == tries, "\(nonce.text) at \(second)")
            }
        }
    }
}

/// A server whose nonces change so, and our client.
private final class RotatingServer: HTTPTransport {
    private static let start = 1_800_000_000.0
    private let rotation: NonceRotation
    private let clock = StoppedClock(at: RotatingServer.start)
    private let nonces = DPoPNonceMemory()
    private let key: DPoPKey

    init(_ rotation: NonceRotation) throws {
        self.rotation = rotation
        key = try DPoPKey(random: .system)
    }

    /// - Parameter second: No earlier than the one before.
    func ask(at second: Int64) async throws -> DPoPSender.Answer {
        clock.advance(by: Self.start + Double(second) - clock.now.timeIntervalSince1970)
        let sender = DPoPSender(
            transport: self,
            nonces: nonces,
            clock: Clock { [clock] in clock.now }
        )
        return try await sender.send(
            .post,
            to: try #require(HTTPAddress("https://op.example.com/token")),
            with: key,
            at: .authorizationServer,
            limits: HTTPLimits(bytes: 10_000, seconds: 10)
        ) { _ in ([:], []) }
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        let second = clock.seconds - Int64(Self.start)
        // `try?`: a proof that cannot be read has no nonce.
        let proof = request.headerFields[.proof]
            .flatMap { try? JWT(parsing: $0).uncheckedClaims() }
        let sent = proof?.string("nonce")
        let isGood = rotation.nonces.contains { nonce in
            nonce.text == sent && (nonce.given..<(nonce.refused ?? .max)).contains(second)
        }
        var response = HTTPResponse(status: isGood ? .ok : .badRequest)
        response.headerFields[.contentType] = "application/json"
        response.headerFields[.nonce] = rotation.nonces.last { $0.given <= second }?.text
        let answer = isGood ? "{}" : #"{"error":"use_dpop_nonce"}"#
        return HTTPReply(response: response, body: Array(answer.utf8))
    }
}
