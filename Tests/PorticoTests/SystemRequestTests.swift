import HTTPTypes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("What requests of the system's own type become")
struct SystemRequestTests {
    private func name(_ name: String) throws -> HTTPField.Name {
        try #require(HTTPField.Name(name))
    }

    @Test("A request may take from a second to an hour, whatever number its time limit is")
    func limits() {
        for (timeout, seconds) in [
            (60, 60), (1, 1), (1.9, 1), (0.2, 1), (0, 1), (-5, 1), (3600, 3600), (3600.5, 3600),
            (.greatestFiniteMagnitude, 3600), (.infinity, 3600), (-.infinity, 1), (.nan, 1),
        ] as [(Double, Int)] {
            let limits = HTTPLimits(timeout: timeout)
            #expect(limits.seconds == seconds, "\(timeout)")
            #expect(limits.bytes == 16 << 20)
        }
    }

    @Test("The fields of a request take the place of those that are there")
    func sent() throws {
        var fields: HTTPFields = [.accept: "text/plain", .authorization: "Bearer one"]
        fields.set(["accept": "application/json", "X-One": "1", "no name": "x", "": "x"])
        #expect(fields[values: .accept] == ["application/json"])
        #expect(fields[values: .authorization] == ["Bearer one"])
        let one = try name("x-one")
        #expect(fields[values: one] == ["1"])
        #expect(fields.count == 3)
    }

    @Test("The fields of an answer are its texts, without the blanks around them")
    func received() throws {
        let fields = HTTPFields(received: [
            "DPoP-Nonce": " n-1 ", "Content-Length": 5, 7: "x", "no name": "x",
        ])
        let nonce = try name("dpop-nonce")
        #expect(fields[values: nonce] == ["n-1"])
        #expect(fields.count == 1)
    }

    @Test("RFC 9110 §5.3: fields of one name are one, in their order, however the name is spelled")
    func joined() throws {
        var fields: HTTPFields = [.cacheControl: "no-store"]
        for (spelling, value) in [("X-One", "a"), ("x-one", "b"), ("X-ONE", "c, d")] {
            fields.append(HTTPField(name: try name(spelling), value: value))
        }
        let joined = fields.joinedByName
        #expect(joined.count == 2)
        #expect(joined["Cache-Control"] == "no-store")
        #expect(joined.first { $0.key.lowercased() == "x-one" }?.value == "a, b, c, d")
        #expect(HTTPFields().joinedByName.isEmpty)
    }
}
