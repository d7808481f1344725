import PorticoBackend
import PorticoProtocol
import Testing

@Suite("A proxied API as it is configured") struct ProxiedAPITests {
    private func refusal(_ text: String) -> ProxiedAPI.Refusal? {
        do throws(ProxiedAPI.Refusal) {
            _ = try ProxiedAPI(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "WEB-TLS-2: people's access tokens go by https, or to a loopback literal",
        arguments: [
            ("http://orders.example.com", ProxiedAPI.Refusal.insecure),
            ("HTTP://orders.example.com/v2", .insecure), ("http://localhost:8080", .insecure),
            ("http://10.0.0.7:8080", .insecure), ("http://127.0.0.1.example.com", .insecure),
            ("http://[fd00::7]", .insecure), ("http://127.0.0.1:8080", nil),
            ("http://[::1]:8080/v2", nil), ("https://orders.example.com/v2", nil),
            ("ftp://orders.example.com", .address), ("orders.example.com", .address),
        ] as [(String, ProxiedAPI.Refusal?)]
    )
    func address(_ address: String, _ expected: ProxiedAPI.Refusal?) {
        #expect(refusal("orders=\(address),google") == expected)
    }

    @Test(
        "what could be appended to in two ways, and what names no one, is refused",
        arguments: [
            ("orders=https://orders.example.com/v2/,google", .address),
            ("orders=https://orders.example.com/v2?x=1,google", .address),
            ("orders=https://ann@orders.example.com,google", .address),
            ("orders=https://orders.example.com", .provider),
            ("orders=https://orders.example.com,", .provider),
            ("orders=https://orders.example.com,Google", .provider),
            ("orders=https://orders.example.com,google,apple", .provider),
            ("Orders=https://orders.example.com,google", .name),
            ("or/ders=https://orders.example.com,google", .name),
            ("=https://orders.example.com,google", .name), ("orders", .name), ("", .name),
            (String(repeating: "a", count: 65) + "=https://orders.example.com,google", .name),
        ] as [(String, ProxiedAPI.Refusal)]
    )
    func shape(_ text: String, _ expected: ProxiedAPI.Refusal) {
        #expect(refusal(text) == expected)
    }

    @Test("it is told as it was configured, and goes where it says")
    func parts() throws {
        let api = try ProxiedAPI("orders=https://orders.example.com:8443/v2,keycloak")
        #expect(api.name == "orders" && api.provider == "keycloak")
        #expect(api.base.authority == "orders.example.com:8443" && api.base.path == "/v2")
        #expect(api.text == "orders=https://orders.example.com:8443/v2,keycloak")
    }
}
