import Testing

@testable import PorticoProtocol

@Suite("Client identifiers that are addresses") struct ClientIDAddressTests {
    private func refusal(_ text: String, allowsTest: Bool = false) -> ClientDocumentRefusal? {
        do {
            _ = try ClientIDAddress(text, allowsTest: allowsTest)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "CIMD-3-1: https, a public host, and a path that names something",
        arguments: [
            "https://app.example.com/client.json", "https://app.example.com/a/b/c",
            "https://app.example.com/client.json%2F", "https://app.example.com/...",
            "https://app.example.com/.well-known/client", "https://app.example.com/a..b",
            "https://app.example.com//x", "https://xn--bcher-kva.example.com/x",
        ]
    )
    func valid(text: String) throws {
        let id = try ClientIDAddress(text)
        #expect(id.text == text)
        #expect(id.address.text == text)
        #expect(id.host == id.address.host)
    }

    @Test(
        "CIMD-3-1: another scheme, a port, user information, a fragment or dot segments are refused",
        arguments: [
            "", "app.example.com/x", "http://app.example.com/x", "HTTPS://app.example.com/x",
            "ftp://app.example.com/x", "https://", "https://app.example.com",
            "https://app.example.com/", "https://app.example.com/dir/",
            "https://app.example.com/a/../x", "https://app.example.com/./x",
            "https://app.example.com/a/..", "https://app.example.com/%2e%2e/x",
            "https://app.example.com/a/%2E/x", "https://app.example.com/.%2e/x",
            "https://app.example.com/%2", "https://app.example.com/x#f",
            "https://app.example.com/x#", "https://app.example.com/x?y",
            "https://app.example.com/x?", "https://u@app.example.com/x",
            "https://u:p@app.example.com/x", "https://app.example.com:8443/x",
            "https://app.example.com:443/x", "https://App.example.com/x",
            "https://app.example.com\\x", "https://app.example.com/x y",
            "https://app.example.com/x\n", "https://app.exämple.com/x",
            "https://app.example.com/" + String(repeating: "x", count: 2025),
        ]
    )
    func invalid(text: String) {
        #expect(refusal(text) == .address, "\(text)")
    }

    @Test("CIMD-3-1: a client identifier has at most 2,048 bytes")
    func length() throws {
        let text = "https://app.example.com/" + String(repeating: "x", count: 2024)
        #expect(try ClientIDAddress(text).text.utf8.count == 2048)
        #expect(
            refusal("https://app.example.com/" + String(repeating: "e\u{301}", count: 700_000))
                == .address
        )
    }

    @Test("attack G16: addresses that no document may have are refused before any is asked")
    func hosts() {
        for text in [
            "http://app.example/x", "https://app.example:8443/x", "https://u:p@app.example/x",
            "https://app.example/a/../x", "https://app.example/x#f", "https://127.0.0.1/x",
            "https://[fd00::1]/x", "https://[::1]/x", "https://2130706433.0/x",
        ] {
            #expect(refusal(text) == .address, "\(text)")
        }
        for text in [
            "https://localhost/x", "https://app/x", "https://app.local/x", "https://app.test/x",
            "https://app.internal/x", "https://app.example/x", "https://app.onion/x",
            "https://-app.example.com/x", "https://app..com/x",
        ] {
            #expect(refusal(text) == .clientHost, "\(text)")
        }
        for text in ["http://localhost:3000", "http://localhost/path", "http://127.0.0.1"] {
            #expect(throws: ClientDocumentRefusal.address) { try LocalhostClient(text) }
            #expect(refusal(text) == .address)
        }
    }

    @Test("ATP-C-ID-2: hosts under .test are for tests")
    func test() {
        #expect(refusal("https://app.test/x") == .clientHost)
        #expect(refusal("https://app.test/x", allowsTest: true) == nil)
        #expect(refusal("https://localhost/x", allowsTest: true) == .clientHost)
    }

    @Test("ATP-MD-11: a wrong host, a wrong redirect URI and the rest have a code each")
    func codes() {
        for refusal in ClientDocumentRefusal.allCases {
            let expected: OAuthError.Code =
                switch refusal {
                case .clientHost: .invalidClientID
                case .redirectURI: .invalidRedirectURI
                default: .invalidClientMetadata
                }
            #expect(refusal.error.code == expected)
            // RFC 6749 §5.2
            let text = refusal.error.description
            #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        }
    }
}
