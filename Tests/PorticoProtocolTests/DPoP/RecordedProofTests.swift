import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

/// Proofs that clients sent to a real server, judged at the recording's clock, in a folder outside the
/// repository: `TEST_ATPROTO_FIXTURES=FOLDER swift test --filter RecordedProofTests`. Other tests have
/// proofs of their own for the same rules.
private let fixtures = ProcessInfo.processInfo.environment["TEST_ATPROTO_FIXTURES"]

@Suite(
    "Proofs of possession, recorded",
    .enabled(if: fixtures != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedProofTests {
    private struct Exchange {
        let number: Int64
        let time: Double
        let method: String
        /// Without the query.
        let address: String
        let fields: [(name: String, value: String)]
        let answered: [(name: String, value: String)]
        /// `error` of the answer.
        let error: String?

        init(_ line: JSONObject) throws {
            number = try #require(line.int64("n"))
            time = try Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                .parse(try #require(line.string("t"))).timeIntervalSince1970
            let request = try #require(line.object("request"))
            let words = try #require(request.string("line")).split(separator: " ")
            method = String(words[0])
            let path = words[1].prefix { $0 != "?" }
            address = "https://\(try #require(line.string("host")))\(path)"
            fields = try Self.fields(request)
            let response = try #require(line.object("response"))
            answered = try Self.fields(response)
            // `try?`: many answers are no JSON.
            let body = try? JSONObject(parsing: (response.string("body") ?? "").utf8)
            error = body?.string("error")
        }

        private static func fields(_ message: JSONObject) throws -> [(String, String)] {
            try #require(message.array("headers")).map { pair in
                let texts = try #require(pair.strings)
                return (texts[0].lowercased(), texts[1])
            }
        }

        func values(_ name: String) -> [String] {
            fields.filter { $0.name == name }.map { $0.value }
        }
    }

    private func exchanges() throws -> [Exchange] {
        let root = URL(filePath: try #require(fixtures))
        let names = try FileManager.default.contentsOfDirectory(atPath: root.path())
        return try names.filter { $0.hasSuffix(".jsonl") }.flatMap { name in
            try Data(contentsOf: root.appending(path: name)).split(separator: 0x0A).map {
                try Exchange(JSONObject(parsing: Array($0), limits: JSONLimits(size: 1 << 20)))
            }
        }.sorted { ($0.time, $0.number) < ($1.time, $1.number) }
    }

    @Test("RFC9449-4.3: the judge says of each recorded proof what the server said, or is stricter")
    func proofs() throws {
        let exchanges = try exchanges()
        let given = exchanges.flatMap { exchange in
            exchange.answered.filter { $0.name == "dpop-nonce" }
                .map { (nonce: $0.value, time: exchange.time) }
        }
        var seen: Set<Hash256> = []
        var count = 0
        // Stricter: secp256k1 is not among our algorithms (RFC9449-4.3-5).
        var stricter = 0
        for exchange in exchanges {
            let proofs = exchange.values("dpop")
            guard let proof = proofs.first else { continue }
            count += 1
            let judge = DPoPJudge(nonce: { nonce, _ in
                given.contains { $0.nonce == nonce && $0.time <= exchange.time }
            })
            // With whatever scheme: that is another rule.
            let token = exchange.values("authorization").first?.split(separator: " ").last
            let request = DPoPJudge.Request(
                method: try #require(HTTPRequest.Method(exchange.method)),
                address: exchange.address,
                token: token.map { String($0) }
            )
            let verdict = Result { () throws(DPoPRefusal) in
                try judge(proofs, for: request, at: Int64(exchange.time))
            }
            if try JWS.algorithm(of: proof) == "ES256K" {
                stricter += 1
                #expect(throws: DPoPRefusal.algorithm, "\(exchange.number)") { try verdict.get() }
                continue
            }
            switch (verdict, exchange.error) {
            case (.success(let proof?), "invalid_dpop_proof"):
                // What is wrong with it is that it was sent before.
                #expect(seen.contains(proof.replayKey), "\(exchange.number)")
            case (.success(let proof?), let error):
                // Other errors are of other rules.
                #expect(error != "use_dpop_nonce", "\(exchange.number)")
                #expect(seen.insert(proof.replayKey).inserted, "\(exchange.number)")
            case (.failure(let refusal), let error):
                #expect(refusal.error.code.rawValue == error, "\(exchange.number): \(refusal)")
            case (.success(nil), _): Issue.record("\(exchange.number)")
            }
        }
        #expect(count == 173)
        #expect(stricter == 16)
        #expect(seen.count == 128)
    }
}

extension JWS {
    /// `alg`, also of a proof whose algorithm is not known here.
    fileprivate static func algorithm(of proof: String) throws -> String? {
        let header = try #require(Base64URL.decode(proof.prefix { $0 != "." }.utf8))
        return try JSONObject(parsing: header).string("alg")
    }
}
