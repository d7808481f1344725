import PorticoWeb
import Testing

@Suite("The Authorization field") struct AuthorizationFieldTests {
    @Test(
        "RFC 6750 §2.1, RFC 9110 §11.4: a scheme in any case, one or more spaces, and the rest",
        arguments: [
            ("Bearer abc", "bearer", "abc"), ("bearer  abc", "bearer", "abc"),
            ("BEARER     abc def", "bearer", "abc def"), ("DPoP a.b.c", "dpop", "a.b.c"),
            ("x y", "x", "y"),
        ]
    )
    func parts(_ field: String, _ scheme: String, _ credentials: String) throws {
        let read = try #require(AuthorizationField(field))
        #expect(read.scheme == scheme)
        #expect(read.credentials == credentials)
        #expect(read.credentials(of: "bearer") == (scheme == "bearer" ? read.credentials : nil))
    }

    @Test(
        "what has no scheme, or nothing behind it, is none",
        arguments: [
            "", "Bearer", "Bearer ", "   ", " abc", "Bearer\tabc", "averyveryverylongscheme abc",
        ]
    )
    func none(_ field: String) {
        #expect(AuthorizationField(field) == nil)
    }
}
