import Foundation
@testable import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import Testing

@testable import PorticoProvider

@Suite("Key rotation")
struct KeyRotationTests {
    private let start = Fixture.noon.seconds

    private func moment(_ seconds: Int64) -> Moment {
        Moment(now: Date(timeIntervalSince1970: Double(seconds)), random: .system)
    }

    private func rotation(_ ring: KeyRing, clients: [Client] = []) -> KeyRotation {
        KeyRotation(maker: SigningKeyMaker(ring: ring), realm: Fixture.realm(), clients: clients)
    }

    /// The keys after an outcome, as the store would have them.
    private func keys(_ keys: [SigningKeyRecord], _ outcome: KeyRotation.Outcome)
        -> [SigningKeyRecord]
    {
        outcome.adding
            + keys.map { key in outcome.changing.first { $0.keyID == key.keyID } ?? key }
    }

    /// Which keys sign at `now`: the newest active one of the algorithm.
    private func signing(_ keys: [SigningKeyRecord], at now: Int64) -> [SigningKeyRecord] {
        let active = keys.filter { $0.activeFrom <= now && now < $0.retiredFrom ?? .max }
        return active.filter { key in !active.contains { $0.activeFrom > key.activeFrom } }
    }

    private func published(_ keys: [SigningKeyRecord], at now: Int64) -> [String] {
        keys.filter { now < $0.retiredFrom ?? .max }.map(\.keyID)
    }

    @Test(
        "OpenID Connect Core §10.1.1: in every second one key signs and every live token verifies",
        arguments: [KeyRotation.Start.whenPublished, .now],
        [Int64?.none, 0, 3600]
    )
    func everySecond(mode: KeyRotation.Start, overlap: Int64?) throws {
        let ring = try Fixture.ring()
        let maker = SigningKeyMaker(ring: ring)
        var client = Fixture.web()
        client.accessTokenLifetime = 900
        var records = [try maker.make(.es256, realmID: "r", activeFrom: start, at: moment(start))]
        let rotateAt: Set<Int64> = [start + 1000, start + 3000]
        // When the last token of each key expires.
        var expiry: [String: Int64] = [:]
        var signers: [String] = []
        for now in start..<(start + 6000) {
            if rotateAt.contains(now) {
                let outcome = try rotation(ring, clients: [client])(
                    .es256,
                    of: records,
                    start: mode,
                    overlap: overlap,
                    at: moment(now)
                )
                records = keys(records, outcome)
            }
            let signer = signing(records, at: now)
            try #require(signer.count == 1)
            if signers.last != signer[0].keyID { signers.append(signer[0].keyID) }
            expiry[signer[0].keyID] = now + 900
            let known = published(records, at: now)
            let unknown = expiry.filter { $0.value > now && !known.contains($0.key) }
            try #require(unknown.isEmpty)
        }
        #expect(signers.count == 3)
        if overlap == 0 {
            #expect(published(records, at: start + 6000).count == 1)
        }
    }

    @Test("A new key is published for the key set's max-age at least before it signs")
    func publishedFirst() throws {
        let ring = try Fixture.ring()
        let first = try SigningKeyMaker(ring: ring)
            .make(.es256, realmID: "r", activeFrom: 0, at: moment(start))
        let outcome = try rotation(ring)(.es256, of: [first], at: moment(start + 50))
        let new = try #require(outcome.adding.first)
        #expect(outcome.adding.count == 1)
        #expect(new.createdAt == start + 50)
        #expect(new.activeFrom - new.createdAt >= KeyRotation.keySetMaxAge)
        #expect(outcome.activeFrom == new.activeFrom)
        #expect(new.retiredFrom == nil)
        #expect(
            signing(keys([first], outcome), at: new.activeFrom - 1).map(\.keyID) == [first.keyID]
        )
        #expect(signing(keys([first], outcome), at: new.activeFrom).map(\.keyID) == [new.keyID])
    }

    @Test("The former key is retired when its last token has expired, whatever overlap is set")
    func retired() throws {
        let ring = try Fixture.ring()
        let first = try SigningKeyMaker(ring: ring)
            .make(.es256, realmID: "r", activeFrom: 0, at: moment(start))
        for (overlap, least) in [
            (Int64?.none, Fixture.realm().lifetimes.sessionMaximum), (0, 300), (-5, 300),
            (7200, 7200), (.max, 7200),
        ] {
            let outcome = try rotation(ring)(
                .es256,
                of: [first],
                overlap: overlap,
                at: moment(start)
            )
            let retired = try #require(outcome.changing.first?.retiredFrom)
            #expect(retired >= outcome.activeFrom + least)
        }
    }

    @Test("Clients may keep the key set no longer than a new key waits")
    func maxAge() {
        #expect(Int64(MetadataEndpoint.maxAge) <= KeyRotation.keySetMaxAge)
    }

    @Test("A rotation under way is not started again, but can be brought forward")
    func underWay() throws {
        let ring = try Fixture.ring()
        let first = try SigningKeyMaker(ring: ring)
            .make(.es256, realmID: "r", activeFrom: 0, at: moment(start))
        let outcome = try rotation(ring)(.es256, of: [first], at: moment(start))
        let both = keys([first], outcome)
        #expect(
            throws: KeyRotation.Refusal.underWay(
                keyID: outcome.keyID,
                activeFrom: outcome.activeFrom
            )
        ) {
            try rotation(ring)(.es256, of: both, at: moment(start + 10))
        }
        let forward = try rotation(ring)(.es256, of: both, start: .now, at: moment(start + 10))
        #expect(forward.adding.isEmpty)
        #expect(forward.keyID == outcome.keyID)
        let after = keys(both, forward)
        #expect(signing(after, at: start + 10).map(\.keyID) == [outcome.keyID])
        #expect(published(after, at: start + 10).count == 2)
    }

    @Test("Keys of another algorithm are not touched by a rotation")
    func otherAlgorithm() throws {
        let ring = try Fixture.ring()
        let maker = SigningKeyMaker(ring: ring)
        let first = try maker.make(.es256, realmID: "r", activeFrom: 0, at: moment(start))
        let other = try maker.make(.edDSA, realmID: "r", activeFrom: 0, at: moment(start))
        let outcome = try rotation(ring)(.edDSA, of: [first, other], at: moment(start))
        #expect(outcome.changing.map(\.keyID) == [other.keyID])
        #expect(outcome.adding.map(\.algorithm) == [.edDSA])
    }

    @Test("RFC 7517 §4.5: a kid says the day it was made and is never used twice")
    func keyIDs() throws {
        let maker = SigningKeyMaker(ring: try Fixture.ring())
        let ids = try (0..<200).map { _ in
            try maker.make(.edDSA, realmID: "r", activeFrom: 0, at: Fixture.noon).keyID
        }
        #expect(ids.allSatisfy { $0.hasPrefix("2026-11-21-") && $0.utf8.count == 19 })
        #expect(Set(ids).count == 200)
    }

    @Test("The private key of a new signing key is sealed for its realm and its kid")
    func sealed() throws {
        let ring = try Fixture.ring()
        let record = try SigningKeyMaker(ring: ring)
            .make(.es256, realmID: "r", activeFrom: 0, at: Fixture.noon)
        let key = try SigningKeySeal(ring: ring).open(record)
        #expect(key.keyID == record.keyID)
        let secret = Base64URL.encode(key.revealStored())
        #expect(!record.sealedPrivateKey.contains(secret))
        var moved = record
        moved.realmID = "other"
        #expect(throws: SealError.doesNotOpen) { try SigningKeySeal(ring: ring).open(moved) }
    }
}
