import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import PorticoWeb

@Suite("Which other sites' pages a row takes requests of") struct OtherSitesTests {
    private func request(_ fields: HTTPFields) throws -> RequestContext {
        let head = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "app.example.com",
            path: "/x",
            headerFields: fields
        )
        let received = Request(head: head)
        return RequestContext(
            received: received,
            target: try #require(RequestTarget("/x")),
            client: ClientAddress(peer: nil, headers: fields, trusting: .none),
            id: RequestID(random: .system),
            moment: Clock { Date(timeIntervalSince1970: 1_800_000_000) }.moment()
        )
    }

    private func fields(_ site: String?, _ mode: String? = nil, _ place: String? = nil)
        -> HTTPFields
    {
        var fields = HTTPFields()
        fields[.fetchSite] = site
        fields[.fetchMode] = mode
        fields[.fetchDestination] = place
        return fields
    }

    @Test("decision 0093: a person who is led there is seen; pictures, frames and scripts are not")
    func shown() throws {
        let cases: [(HTTPFields, OtherSites.Verdict)] = [
            (fields(nil), .admitted), (fields("none", "navigate", "document"), .admitted),
            (fields("same-origin", "no-cors", "image"), .admitted),
            (fields("cross-site", "navigate", "document"), .ledHere),
            (fields("same-site", "navigate", "document"), .ledHere),
            (fields("cross-site"), .ledHere), (fields("cross-site", "navigate", "frame"), .refused),
            (fields("cross-site", "navigate", "embed"), .refused),
            (fields("cross-site", "no-cors", "empty"), .refused),
            (fields("same-site", "cors", "empty"), .refused),
            (fields("cross-site", "websocket", "empty"), .refused),
        ]
        for (fields, verdict) in cases {
            #expect(OtherSites.shown.judge(try request(fields)) == verdict, "\(fields)")
            #expect(OtherSites.any.judge(try request(fields)) == .admitted)
        }
        let usual = OtherSites.visible { _ in true }
        #expect(usual.judge(try request(fields("cross-site", "navigate", "iframe"))) == .ledHere)
    }

    @Test("decision 0093: a row for scripts takes theirs, apart, and nothing else")
    func scripts() throws {
        let cases: [(HTTPFields, OtherSites.Verdict)] = [
            (fields(nil), .admitted), (fields("none", "navigate", "document"), .admitted),
            (fields("same-origin", "no-cors", "empty"), .admitted),
            (fields("cross-site", "cors", "empty"), .ledHere),
            (fields("same-site", "cors", "empty"), .ledHere), (fields("cross-site"), .ledHere),
            (fields("cross-site", "no-cors", "empty"), .refused),
            (fields("cross-site", "navigate", "document"), .refused),
        ]
        for (fields, verdict) in cases {
            #expect(OtherSites.scripts.judge(try request(fields)) == verdict, "\(fields)")
        }
    }

    @Test("decision 0093: a row of programs takes no page's but our own, by either field")
    func none() throws {
        var origins: [(HTTPFields, OtherSites.Verdict)] = [
            (fields(nil), .admitted), (fields("same-origin", "cors", "empty"), .admitted),
            (fields("cross-site", "navigate", "document"), .refused),
            (fields("same-site", "cors", "empty"), .refused),
        ]
        for (origin, verdict) in [
            ("https://app.example.com", .admitted), ("https://evil.example.com", .refused),
            ("null", .refused), ("https://app.example.com.evil.example", .refused),
        ] as [(String, OtherSites.Verdict)] {
            origins.append(([.origin: origin], verdict))
        }
        for (fields, verdict) in origins {
            #expect(OtherSites.none.judge(try request(fields)) == verdict, "\(fields)")
        }
    }

    @Test("decision 0093: who was led there counts apart")
    func sender() throws {
        var context = try request(fields(nil))
        let own = context.sender
        #expect(own == context.address)
        context.isLedHere = true
        #expect(context.sender != own && context.address == own)
    }
}
