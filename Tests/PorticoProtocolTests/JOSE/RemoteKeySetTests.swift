import Foundation
import PorticoProtocol
import Testing

@Suite("Remote key set")
struct RemoteKeySetTests {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)
    private let known: VerificationKey
    private let rotated: VerificationKey

    init() throws {
        known = try TokenForge.p256.verificationKey
        rotated = try TokenForge.ed25519.verificationKey
    }

    private func header(_ algorithm: SignatureAlgorithm, _ keyID: String) throws -> JWSHeader {
        let text = #"{"alg":"\#(algorithm.rawValue)","kid":"\#(keyID)"}"#
        return try JWT(parsing: TokenForge.token(TokenForge.input(text), signature: [1])).header
    }

    private func filled() -> RemoteKeySet {
        var keys = RemoteKeySet()
        keys.received(JWKSet([known]), at: start)
        return keys
    }

    @Test("OpenID Connect Core §10.1.1: an empty set is fetched once, and other callers wait")
    func singleFlight() throws {
        var keys = RemoteKeySet()
        let header = try header(.es256, "ec1")
        #expect(keys.key(for: header, at: start) == .fetch)
        for _ in 0..<10 {
            #expect(keys.key(for: header, at: start + 1) == .wait)
        }
        keys.received(JWKSet([known]), at: start + 2)
        #expect(keys.key(for: header, at: start + 2) == .use([known]))
    }

    @Test("A set is used for 299 seconds and fetched again at 300")
    func freshness() throws {
        var keys = filled()
        let header = try header(.es256, "ec1")
        #expect(keys.key(for: header, at: start + 299) == .use([known]))
        #expect(keys.key(for: header, at: start + 300) == .fetch)
        #expect(keys.key(for: header, at: start + 300) == .wait)
    }

    @Test("OIDCC-10.1.1-2: an unknown kid causes one fetch at once, and then none for 60 seconds")
    func coolDown() throws {
        var keys = filled()
        let unknown = try header(.edDSA, "ed1")
        #expect(keys.key(for: unknown, at: start) == .fetch)
        keys.received(JWKSet([known]), at: start + 1)
        #expect(keys.key(for: unknown, afterFetch: true, at: start + 1) == .unknown)
        #expect(keys.key(for: unknown, at: start + 2) == .unknown)
        #expect(keys.key(for: unknown, at: start + 60) == .unknown)
        #expect(keys.key(for: unknown, at: start + 61) == .fetch)
    }

    @Test("OIDCC-10.1.1-2: a fetch that no unknown kid caused delays none, and none is paid twice")
    func otherFetches() throws {
        var keys = filled()
        let new = try header(.edDSA, "ed1")
        // As each minute, to see whether the provider is there.
        for second in stride(from: 60.0, through: 240, by: 60) {
            keys.received(JWKSet([known]), at: start + second)
            #expect(keys.key(for: try header(.es256, "ec1"), at: start + second) == .use([known]))
        }
        #expect(keys.key(for: new, at: start + 241) == .fetch)
        keys.received(JWKSet([known, rotated]), at: start + 242)
        #expect(keys.key(for: new, afterFetch: true, at: start + 242) == .use([rotated]))
        #expect(keys.key(for: try header(.es256, "ec2"), at: start + 243) == .unknown)
        #expect(keys.key(for: try header(.es256, "ec2"), at: start + 301) == .fetch)
        // A set that was old has been fetched for the one who waits for a key that is in none.
        var old = filled()
        #expect(old.key(for: new, at: start + 300) == .fetch)
        old.received(JWKSet([known]), at: start + 301)
        #expect(old.key(for: new, afterFetch: true, at: start + 301) == .unknown)
        #expect(old.key(for: new, at: start + 302) == .unknown)
    }

    @Test("A failed fetch that no unknown kid caused delays a new key by 5 seconds only")
    func otherFailure() throws {
        var keys = filled()
        let new = try header(.edDSA, "ed1")
        keys.failed(at: start + 60)
        #expect(keys.key(for: new, at: start + 61) == .unavailable)
        #expect(keys.key(for: new, at: start + 65) == .fetch)
    }

    @Test("OIDCC-10.1.1-2: after a rotation the new key is found by one fetch")
    func rotation() throws {
        var keys = filled()
        let new = try header(.edDSA, "ed1")
        #expect(keys.key(for: new, at: start + 100) == .fetch)
        #expect(keys.key(for: new, at: start + 100) == .wait)
        #expect(keys.key(for: try header(.es256, "ec1"), at: start + 100) == .use([known]))
        keys.received(JWKSet([known, rotated]), at: start + 101)
        #expect(keys.key(for: new, at: start + 101) == .use([rotated]))
    }

    @Test("OIDCC-10.1.1-2: a hundred made-up kids a minute cause one fetch a minute")
    func flood() throws {
        var keys = filled()
        var fetches = 0
        for second in 60..<300 {
            let now = start + Double(second)
            for index in 0..<5 {
                let answer = keys.key(for: try header(.es256, "made-up-\(index)"), at: now)
                guard answer == .fetch else { continue }
                fetches += 1
                keys.received(JWKSet([known]), at: now)
            }
        }
        #expect(fetches == 4)
    }

    @Test("OIDCC-10.1.1-2: nor do they cause more while the issuer does not answer")
    func floodWhileFailing() throws {
        var keys = filled()
        var fetches = 0
        for second in 60..<300 {
            let now = start + Double(second)
            let answer = keys.key(for: try header(.es256, "made-up"), at: now)
            #expect(answer != .unknown, "nobody knows")
            guard answer == .fetch else { continue }
            fetches += 1
            keys.failed(at: now)
        }
        #expect(fetches == 4)
    }

    @Test("OIDCD-X-2: a fetch that fails leaves a fresh set in use")
    func failureKeepsSet() throws {
        var keys = filled()
        let header = try header(.es256, "ec1")
        #expect(keys.key(for: try self.header(.edDSA, "ed1"), at: start + 60) == .fetch)
        keys.failed(at: start + 61)
        #expect(keys.key(for: header, at: start + 62) == .use([known]))
        #expect(keys.key(for: header, at: start + 299) == .use([known]))
    }

    @Test("A failed fetch for an unknown kid is a transient error, not an unknown key")
    func failureIsTransient() throws {
        var keys = filled()
        let unknown = try header(.edDSA, "ed1")
        #expect(keys.key(for: unknown, at: start + 60) == .fetch)
        keys.failed(at: start + 61)
        #expect(keys.key(for: unknown, at: start + 62) == .unavailable)
        #expect(keys.key(for: unknown, at: start + 121) == .fetch)
    }

    @Test("A stale set is not used; a failed fetch is tried again after a pause of 5 seconds")
    func staleAfterFailure() throws {
        var keys = filled()
        let header = try header(.es256, "ec1")
        #expect(keys.key(for: header, at: start + 300) == .fetch)
        keys.failed(at: start + 301)
        #expect(keys.key(for: header, at: start + 302) == .unavailable)
        #expect(keys.key(for: header, at: start + 305) == .unavailable)
        #expect(keys.key(for: header, at: start + 306) == .fetch)
        keys.received(JWKSet([known]), at: start + 307)
        #expect(keys.key(for: header, at: start + 307) == .use([known]))
    }

    @Test("A key that was withdrawn is gone with the next set")
    func withdrawal() throws {
        var keys = filled()
        #expect(keys.key(for: try header(.es256, "ec1"), at: start + 300) == .fetch)
        keys.received(JWKSet([rotated]), at: start + 300)
        let answer = keys.key(for: try header(.es256, "ec1"), afterFetch: true, at: start + 301)
        #expect(answer == .unknown)
    }

    @Test("A fetch without a report does not block forever")
    func lostFetch() throws {
        var keys = RemoteKeySet()
        let header = try header(.es256, "ec1")
        #expect(keys.key(for: header, at: start) == .fetch)
        #expect(keys.key(for: header, at: start + 59) == .wait)
        #expect(keys.key(for: header, at: start + 60) == .fetch)
    }

    @Test("A clock that was set back does not keep an old set alive")
    func clockSetBack() throws {
        var keys = filled()
        let header = try header(.es256, "ec1")
        #expect(keys.key(for: header, at: start - 1) == .use([known]), "two readings may cross")
        #expect(keys.key(for: header, at: start - 3600) == .fetch)
    }

    @Test("A kid of another algorithm's key is unknown")
    func algorithmCounts() throws {
        var keys = filled()
        let other = try header(.rs256, "ec1")
        #expect(keys.key(for: other, at: start + 1) == .fetch)
        keys.received(JWKSet([known]), at: start + 1)
        #expect(keys.key(for: other, afterFetch: true, at: start + 1) == .unknown)
    }
}
