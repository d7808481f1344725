import PorticoProtocol
import PorticoWeb
import Testing

@Suite("Request target")
struct RequestTargetTests {
    @Test(
        "Attack H05: a path in any other spelling than the canonical one is not there",
        arguments: [
            "//.well-known/openid-configuration", "/.well-known/openid-configuration/",
            "/%2e%2e/", "/%2e", "/realms/../realms/test/protocol", "/realms/./test", "/..", "/.",
            "/realms//test", "/realms/test/", "/realms/te%73t", "/realms/test%2Fx", "/a\\b",
            "/a b", "/é", "/a;%00", "", "realms/test", "*", "http://evil.example/realms/test",
            "evil.example:443", "//evil.example/a", "/a#b", "/a?b#c", "/a?é", "/a?b c", "/a\0",
            // What is left where a server takes parameters off.
            "/a/..;/b", "/a/.;/b", "/..;", "/.;x=1", "/a/..;v=1/b", "/a/;/b", "/a/;x", "/;",
            "/..;..;",
            "/a/..;;/b", "/a/..%3B/b", "/a/%2e%2e;/b", "/a/..\\;/b", "/a/..%5c;/b", "/a/;..",
            "/a|b", "/a\"b", "/a<b", "/a^b", "/a`b", "/a{b}", "/[a]", "?a",
        ]
    )
    func refused(target: String) {
        #expect(RequestTarget(target) == nil)
    }

    @Test(
        "A canonical path is taken as it is",
        arguments: [
            "/", "/a", "/realms/test/.well-known/openid-configuration", "/realms/TEST", "/...",
            "/a.b", "/..a", "/a..", "/a:b@c", "/a;b=c,d", "/-._~!$&'()*+", "/a;..", "/a;./b",
            "/...;x", "/..a;/b", "/a;;b=1;c",
        ]
    )
    func accepted(path: String) throws {
        let target = try #require(RequestTarget(path))
        #expect(target.path == path)
        #expect(target.query == nil)
        let asked = try #require(RequestTarget(path + "?a=%2F..//&b=?"))
        #expect(asked.path == path)
        #expect(asked.query?.elementsEqual("a=%2F..//&b=?".utf8) == true)
    }

    @Test("Attack H05: one slash at the end is read where it may be, and stays what it is")
    func slashes() throws {
        for path in ["/a/", "/realms/test/", "/a/b/"] {
            let target = try #require(RequestTarget(path, takesSlash: true))
            #expect(target.path == path)
            #expect(target.endsInSlash)
        }
        #expect(RequestTarget("/", takesSlash: true)?.endsInSlash == false)
        #expect(RequestTarget("/a", takesSlash: true)?.endsInSlash == false)
        for path in ["//", "/a//", "///", "/./", "/../", "/a/../", "/a/;/", "/%61/", "/a/;x/"] {
            #expect(RequestTarget(path, takesSlash: true) == nil, "\(path)")
        }
    }

    @Test("A path gives its segments; an empty query is an empty query")
    func segments() throws {
        #expect(try #require(RequestTarget("/")).segments.isEmpty)
        let target = try #require(RequestTarget("/realms/test/protocol?"))
        #expect(target.segments == ["realms", "test", "protocol"])
        #expect(target.query?.isEmpty == true)
        #expect(try FormParameters(query: target).all.isEmpty)
    }

    @Test("No request line, no target")
    func none() {
        #expect(RequestTarget(nil) == nil)
    }

    @Test(
        "attack H05: whole escapes are only let through below /admin/, and routes see them as sent"
    )
    func escapes() throws {
        for target in ["/admin/a%2Fb", "/admin/%C3%A4", "/admin/realms/r%20x/roles"] {
            #expect(try #require(RequestTarget(target)).path == target)
        }
        for target in [
            "/%61dmin/a", "/admin%2Fa", "/realms/te%73t", "/admin/%", "/admin/%4", "/admin/%GG",
            "/admin/a%", "/admin/../a%20b", "/admin//a%20b", "/Admin/a%20b", "/admin/a b",
        ] {
            #expect(RequestTarget(target) == nil, "\(target)")
        }
    }

    @Test("attack H05: a segment is decoded once, and never to what leads elsewhere")
    func decoded() {
        #expect(RequestTarget.decoded("a%2Fb%25%32%35") == "a/b%25")
        #expect(RequestTarget.decoded("R%26D%C3%A4") == "R&D\u{E4}")
        for segment in ["%2e", "%2E%2e", ".%2e", "%00", "a%00", "%FF", "%C3", "%", "%4", "%zz"] {
            #expect(RequestTarget.decoded(segment) == nil, "\(segment)")
        }
    }
}
