import PorticoPages
import Testing

@Suite("Links of a page") struct PageLinkTests {
    @Test(
        "WEB-XSS-2, attack A32: what a browser would run or read itself is no link",
        arguments: [
            "javascript:alert(1)//https://app.example.com/cb", "JavaScript:alert(1)",
            "java\nscript:alert(1)", "\u{1}javascript:alert(1)", " javascript:alert(1)",
            "data:text/html,<script>alert(1)</script>", "data:text/html,x", "vbscript:x",
            "file:///etc/passwd", "about:blank", "blob:https://app.example.com/x",
            "view-source:https://app.example", "intent://x#Intent;end", "filesystem:x", "", ":",
            "x",
            "//evil.example", "1a:b", "https://app.example/\"onclick=x", "https://app.example/<b>",
            "https://app.example/ü",
        ]
    )
    func unsafe(address: String) {
        #expect(PageLink(redirect: address) == nil)
        #expect(PageLink(https: address) == nil)
    }

    @Test(
        "RFC 8252 §7: the ways back to a native app are links",
        arguments: [
            "https://app.example/cb?code=1&state=2", "http://127.0.0.1:51004/callback",
            "http://[::1]:51004/callback", "com.example.app:/callback", "com.example.app://x/y",
        ]
    )
    func redirects(address: String) {
        #expect(PageLink(redirect: address)?.href == address)
    }

    @Test(
        "WEB-XSS-2: an address from a client's registration is https or nothing",
        arguments: [
            ("https://app.example/terms", true), ("HTTPS://app.example", true),
            ("http://app.example/terms", false), ("https:app.example", false), ("https://", false),
            ("com.example.app:/x", false),
        ]
    )
    func https(address: String, isLink: Bool) {
        #expect((PageLink(https: address) != nil) == isLink)
    }

    @Test(
        "attack E12: a path stays on this server",
        arguments: [
            ("/", true), ("/realms/demo?x=https://evil", true), ("/.evil", true),
            ("//evil.example", false), ("/\\evil.example", false), ("\\/evil.example", false),
            ("https:evil.example", false), ("/\t/evil.example", false), ("", false),
            ("/\r\nSet-Cookie:a=b", false), ("///evil.example", false), ("x", false),
        ]
    )
    func paths(path: String, isLink: Bool) {
        #expect((PageLink(path: path) != nil) == isLink)
    }
}
