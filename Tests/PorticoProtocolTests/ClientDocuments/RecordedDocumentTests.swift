import Foundation
import PorticoBytes
import PorticoTestSupport
import Testing

@testable import PorticoProtocol

/// What they judged is compared at our Provider, in RecordedServerTests.
@Suite(
    "Documents of real clients",
    .enabled(if: RecordedExchange.folder != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedDocumentTests {
    @Test("ATP-MD-11: documents of real clients are taken")
    func real() throws {
        let root = URL(filePath: try RecordedExchange.root())
        let other = root.deletingLastPathComponent().appending(path: "atproto").path()
        for name in try FileManager.default.contentsOfDirectory(atPath: other)
        where name.hasSuffix("client-metadata.json") {
            try check(try RecordedExchange.bytes("../atproto/\(name)"))
        }
        for exchange in try RecordedExchange.all() where exchange.status == 200 {
            if exchange.path == "/oauth/jwks.json", exchange.host.hasPrefix("app.") {
                let set = try #require(exchange.json)
                #expect(try ClientDocument.keySet(set, for: .es256).keys.count == 2)
            } else if exchange.path.hasSuffix("client-metadata.json") {
                try check(exchange.reply.body)
            }
        }
    }

    private func check(_ document: [UInt8]) throws {
        let id = try #require(try JSONObject(parsing: document).string("client_id"))
        let client = try ClientDocument(
            parsing: document,
            at: try ClientIDAddress(id),
            scopes: .atProtocol
        )
        #expect(client.scope.contains("transition:generic"))
    }
}
