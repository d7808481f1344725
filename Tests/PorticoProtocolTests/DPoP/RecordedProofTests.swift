import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite(
    "Proofs of possession, recorded",
    .enabled(if: RecordedExchange.folder != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedProofTests {
    @Test("RFC9449-4.3: the judge says of each recorded proof what the server said, or is stricter")
    func proofs() throws {
        let exchanges = try RecordedExchange.all()
            .sorted { ($0.time, $0.number) < ($1.time, $1.number) }
        let given = exchanges.flatMap { exchange in
            exchange.reply.response.headerFields[values: .nonce]
                .map { (nonce: $0, time: exchange.time) }
        }
        let named = try NamedVerdicts.all("proof")
        var found: Set<String> = []
        var seen: Set<Hash256> = []
        var count = 0
        for exchange in exchanges {
            let proofs = exchange.proofs
            guard !proofs.isEmpty else { continue }
            count += 1
            let judge = DPoPJudge(nonce: { nonce, _ in
                given.contains { $0.nonce == nonce && $0.time <= exchange.time }
            })
            // With whatever scheme: that is another rule.
            let token = exchange.fields[.authorization]?.split(separator: " ").last
            let request = DPoPJudge.Request(
                method: exchange.method,
                address: exchange.url,
                token: token.map { String($0) }
            )
            let verdict = Result { () throws(DPoPRefusal) in
                try judge(proofs, for: request, at: Int64(exchange.time.timeIntervalSince1970))
            }
            let algorithm = exchange.proofHeader?.string("alg") ?? ""
            if named[algorithm] == "stricter" {
                found.insert(algorithm)
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
        #expect(found == Set(named.keys))
        #expect(seen.count == 128)
    }
}
