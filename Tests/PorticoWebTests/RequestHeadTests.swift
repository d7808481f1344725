import HTTPTypes
import NIOHTTP1
import Testing

@testable import PorticoWeb

@Suite("A request's head") struct RequestHeadTests {
    private static let host = ("Host", "id.example.com")

    private func head(_ fields: [(String, String)]) throws -> RequestHead {
        let head = HTTPRequestHead(
            version: .http1_1,
            method: .POST,
            uri: "/",
            headers: HTTPHeaders(fields)
        )
        return try RequestHead(head, limits: ConnectionLimits(connections: 1))
    }

    @Test(
        "WEB-INPUT-6: what could be read in two ways is refused, whatever the decoder before lets through",
        arguments: [
            [], [host, host], [host, ("host", "evil.example")],
            [host, ("Content-Length", "5"), ("Content-Length", "5")],
            [host, ("Content-Length", "5"), ("Content-Length", "6")],
            [host, ("Content-Length", "5"), ("Transfer-Encoding", "chunked")],
            [host, ("Transfer-Encoding", "chunked"), ("Content-Length", "5")],
            [host, ("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
            [host, ("Content-Length", "")], [host, ("Content-Length", "+5")],
            [host, ("Content-Length", "-5")], [host, ("Content-Length", "5, 5")],
            [host, ("Content-Length", "0x5")], [host, ("Content-Length", "5x")],
            [host, ("Content-Length", "1 2")], [host, ("Content-Length", "９")],
            [host, ("Content-Length", "9999999999999999999")],
        ]
    )
    func ambiguous(fields: [(String, String)]) {
        #expect(throws: RequestRefusal.malformed) { try head(fields) }
    }

    @Test("RFC 9110 §5.5: what is not ASCII has 1,024 bytes in all fields together")
    func foreign() throws {
        func fields(_ count: Int, of text: String) -> [(String, String)] {
            [Self.host] + (0..<count).map { ("X-\($0)", text) }
        }
        let word = String(repeating: "\u{FC}", count: 64)
        #expect(try head(fields(8, of: word)).request.headerFields.count == 8)
        #expect(throws: RequestRefusal.malformed) { try head(fields(9, of: word)) }
        #expect(throws: RequestRefusal.malformed) {
            try head(fields(1, of: String(repeating: "a", count: 1024) + "\u{FC}"))
        }
        let ascii = String(repeating: "a", count: 150)
        #expect(try head(fields(90, of: ascii)).request.headerFields.count == 90)
    }

    @Test("RFC 9112 §6: one length, or chunks, or no body")
    func lengths() throws {
        #expect(try head([Self.host]).bodyLength == 0)
        #expect(try head([Self.host, ("Content-Length", "005")]).bodyLength == 5)
        #expect(try head([Self.host, ("Transfer-Encoding", "Chunked")]).bodyLength == nil)
    }

    @Test(
        "RFC 9112 §5.1: blanks around a value are not part of it, however many, and those within are"
    )
    func blanks() throws {
        let many = String(repeating: " \t", count: 4000)
        let found = try head([
            ("Host", " id.example.com \t"), ("Content-Length", "5  "), ("Expect", "100-continue\t"),
            ("X-A", "\t a\(many)b\(many)"), ("X-B", many),
        ])
        #expect(found.request.authority == "id.example.com")
        #expect(found.bodyLength == 5)
        #expect(found.expectsContinue)
        let fields = found.request.headerFields
        #expect(fields[values: try #require(HTTPField.Name("X-A"))] == ["a\(many)b"])
        #expect(fields[values: try #require(HTTPField.Name("X-B"))] == [""])
    }

    private func absolute(_ uri: String, host: String? = "other.example") throws -> RequestHead {
        let head = HTTPRequestHead(
            version: .http1_1,
            method: .GET,
            uri: uri,
            headers: HTTPHeaders(host.map { [("Host", $0)] } ?? [])
        )
        return try RequestHead(head, limits: ConnectionLimits(connections: 1))
    }

    @Test(
        "RFC 9112 §3.2.2: a target in absolute form is taken, and its host counts",
        arguments: [
            ("http://id.example.com/a?b=c", "id.example.com", "/a?b=c"),
            ("https://id.example.com:8443/a", "id.example.com:8443", "/a"),
            ("HTTP://id.example.com", "id.example.com", "/"),
            ("http://id.example.com?b", "id.example.com", "/?b"),
            ("/http://id.example.com/", "other.example", "/http://id.example.com/"),
        ]
    )
    func absoluteForm(_ uri: String, _ host: String, _ path: String) throws {
        let request = try absolute(uri).request
        #expect(request.authority == host)
        #expect(request.path == path)
    }

    @Test("RFC 9112 §3.2: an absolute target has a host, no one's name, and a Host beside it")
    func badAbsoluteForm() {
        for uri in ["http:///a", "http://", "https://ann@id.example.com/", "http://?a"] {
            #expect(throws: RequestRefusal.malformed, "\(uri)") { try absolute(uri) }
        }
        #expect(throws: RequestRefusal.malformed) {
            try absolute("http://id.example.com/", host: nil)
        }
    }
}
