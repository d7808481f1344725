import Foundation
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Registering what a client's tokens are made of") struct ClientTokenRegistrationTests {
    private func refusal(
        of client: Client,
        algorithms: Set<SignatureAlgorithm> = RealmCreation.firstAlgorithms
    ) throws -> ClientRegistration.Refusal? {
        let registration = ClientRegistration(ring: try Fixture.ring())
        do {
            _ = try registration(client, schemes: [:], algorithms: algorithms, random: .system)
            return nil
        } catch {
            return error
        }
    }

    @Test("an algorithm that the realm has no active key of is refused, for either token")
    func algorithms() throws {
        for algorithm in SignatureAlgorithm.allCases {
            var client = Fixture.web()
            client.idTokenAlgorithm = algorithm
            let others = Set(SignatureAlgorithm.allCases).subtracting([algorithm])
            #expect(try refusal(of: client, algorithms: [algorithm]) == nil)
            #expect(try refusal(of: client, algorithms: others) == .idTokenAlgorithm(algorithm))
            client.idTokenAlgorithm = nil
            client.accessTokenAlgorithm = algorithm
            #expect(try refusal(of: client, algorithms: [algorithm]) == nil)
            #expect(try refusal(of: client, algorithms: others) == .accessTokenAlgorithm(algorithm))
            #expect(try refusal(of: client, algorithms: []) == .accessTokenAlgorithm(algorithm))
        }
        // What names none follows the realm, which has a key of its own algorithm.
        #expect(try refusal(of: Fixture.web(), algorithms: []) == nil)
    }

    @Test("a key signs from its time on, and until it is retired")
    func active() throws {
        let maker = SigningKeyMaker(ring: try Fixture.ring())
        let moment = Moment(now: .init(timeIntervalSince1970: 1_000), random: .system)
        var retired = try maker.make(.es256, realmID: "r", activeFrom: 500, at: moment)
        retired.retiredFrom = 900
        let keys = [
            retired,
            try maker.make(.rs256, realmID: "r", activeFrom: 1_000, at: moment),
            try maker.make(.edDSA, realmID: "r", activeFrom: 1_001, at: moment),
        ]
        #expect(SigningKeyRecord.activeAlgorithms(of: keys, at: 499) == [])
        #expect(SigningKeyRecord.activeAlgorithms(of: keys, at: 500) == [.es256])
        #expect(SigningKeyRecord.activeAlgorithms(of: keys, at: 899) == [.es256])
        #expect(SigningKeyRecord.activeAlgorithms(of: keys, at: 1_000) == [.rs256])
        #expect(SigningKeyRecord.activeAlgorithms(of: keys, at: 1_001) == [.rs256, .edDSA])
    }

    @Test(
        "WEB-INPUT-1: what mappers write into every token has bounds",
        arguments: [
            (ClaimMapper(.realmRoles(prefix: ""), text(200)), true),
            (ClaimMapper(.realmRoles(prefix: ""), text(513)), false),
            (ClaimMapper(.realmRoles(prefix: ""), ""), false),
            (ClaimMapper(.clientRoles(of: text(200), prefix: ""), "a"), true),
            (ClaimMapper(.clientRoles(of: text(2049), prefix: ""), "a"), false),
            (ClaimMapper(.clientRoles(of: "", prefix: ""), "a"), false),
            (ClaimMapper(.attribute(text(2049), aggregates: false), "a"), false),
            (ClaimMapper(.attribute("", aggregates: false), "a"), false),
            (ClaimMapper(.fixedClaim(.string(text(2000))), "a"), true),
            (ClaimMapper(.fixedClaim(.string(text(17_000))), "a"), false),
            (ClaimMapper(.audience(text(1000))), true),
            (ClaimMapper(.audience(text(2049))), false),
            (ClaimMapper(.audience("")), false),
        ]
    )
    func bounds(mapper: ClaimMapper, isAdmitted: Bool) throws {
        var client = Fixture.web()
        client.mappers = [mapper]
        #expect(try refusal(of: client) == (isAdmitted ? nil : .mapper(index: 0)))
        client.mappers = Array(repeating: ClaimMapper(.realmRoles(prefix: ""), "a"), count: 101)
        #expect(try refusal(of: client) == .tooManyMappers)
    }

    private static func text(_ length: Int) -> String { String(repeating: "a", count: length) }
}
