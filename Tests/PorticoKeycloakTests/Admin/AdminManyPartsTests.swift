import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Parts of a realm of which there are as many as there may be: what an administrator asks about
/// them keeps no one else waiting.
@Suite("Many parts of a realm") struct AdminManyPartsTests {
    @Test("Texts are set, changed and taken away by key, and stay in their order")
    func texts() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let path = "/localization/en"
        func set(_ body: String) async throws -> Int {
            try await admin.send(.post, path, body, by: token).status
        }
        #expect(try await set(#"{"a": "1", "b": "2", "c": "3"}"#) == 204)
        #expect(try await set(#"{"d": "4", "b": "5", "a": null}"#) == 204)
        #expect(try await admin.send(.delete, path + "/c", by: token).status == 204)
        let kept = try await admin.send(.get, path, by: token).json
        #expect(kept.map(\.name) == ["a", "b", "d"])
        #expect(kept == ["a": "1", "b": "5", "d": "4"])
    }

    @Test("Thousands of texts are set in the time of their number, not of its square")
    func manyTexts() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let start = ContinuousClock.now
        for number in 0..<6 {
            let texts = (0..<1000).map { "\"k\(number)-\($0)\": \"t\"" }
            let body = "{" + texts.joined(separator: ",") + "}"
            let reply = try await admin.send(.post, "/localization/xx", body, by: token)
            #expect(reply.status == 204, "\(reply.text)")
        }
        let kept = try await admin.send(.get, "/localization/xx", by: token).text
        #expect(kept.components(separatedBy: "\":\"t\"").count == 6000 + 1, "\(kept.prefix(60))")
        // It took 13 seconds.
        let time = ContinuousClock.now - start
        #expect(time < .seconds(9))
    }

    @Test("A step is found among very many, and each has an id of its own")
    func steps() throws {
        let steps: [JSONValue] = (0..<200).map { number in
            let name = number.isMultiple(of: 2) ? "same" : "a\(number)"
            return .object(["authenticator": .string(name)])
        }
        let documents: [JSONObject] = (0..<100).map { number in
            [
                "id": .string("flow-\(number)"), "alias": .string("f\(number)"),
                "authenticationExecutions": .array(steps),
            ]
        }
        let flows = FlowSet(documents)
        let last = flows.shown(99, configs: [:])
        let ids = last.compactMap { $0.string("id") }
        #expect(Set(ids).count == 200)
        let start = ContinuousClock.now
        for number in [0, 1, 198, 199] {
            let place = try #require(flows.place(ofStep: ids[number]))
            #expect(place.flow == 99 && place.step == number)
            #expect(flows.id(of: place) == ids[number], "\(number)")
        }
        #expect(flows.place(ofStep: "nothing") == nil)
        // It took 9 seconds for each.
        let time = ContinuousClock.now - start
        #expect(time < .seconds(20))
    }
}
