import Foundation
import HTTPTypes
import PorticoBytes
import PorticoSeals
import PorticoWeb
import Testing

@Suite("Cookies")
struct CookieTests {
    let secure: CookiePolicy
    let loopback: CookiePolicy

    init() throws {
        secure = CookiePolicy(try PublicURL("https://id.example.com"))
        loopback = CookiePolicy(try PublicURL("http://127.0.0.1:8080"))
    }

    let session = CookieName("session", "demo")

    private func headers(_ cookies: String...) -> HTTPFields {
        var headers = HTTPFields()
        for cookie in cookies { headers.append(HTTPField(name: .cookie, value: cookie)) }
        return headers
    }

    @Test("WEB-COOKIE-1 to 4: __Host-, Secure, HttpOnly, SameSite=Lax, Path=/, and no Domain")
    func attributes() throws {
        let field = try secure.set(session, to: "abc", for: 600)
        #expect(field.name == .setCookie)
        #expect(
            field.value
                == "__Host-session-demo=abc; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax"
        )
        #expect(
            try secure.set(session, to: "abc").value
                == "__Host-session-demo=abc; Path=/; Secure; HttpOnly; SameSite=Lax"
        )
        #expect(
            secure.remove(session).value
                == "__Host-session-demo=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax"
        )
    }

    @Test("WEB-COOKIE-1: on an http loopback literal prefix and Secure go, and the name says so")
    func development() throws {
        #expect(
            try loopback.set(session, to: "abc", for: 600).value
                == "portico-dev-session-demo=abc; Path=/; Max-Age=600; HttpOnly; SameSite=Lax"
        )
        for name in ["http://localhost:8080", "http://op.localhost:8080"] {
            let named = CookiePolicy(try PublicURL(name))
            #expect(try named.set(session, to: "abc") == loopback.set(session, to: "abc"))
            #expect(named.remove(session) == loopback.remove(session))
        }
        // A cookie that http could have planted is never taken for the secure one.
        #expect(secure.value(of: session, in: headers("portico-dev-session-demo=x")) == nil)
    }

    @Test("WEB-BRUTE-1: a browser is known for 180 days after a sign-in")
    func knownDevice() throws {
        let ring = try KeyRing(random: .system)
        let devices = KnownDevice(ring: ring, realmID: "realm")
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        func moment(_ seconds: TimeInterval) -> Moment {
            Moment(now: start + seconds, random: .system)
        }
        let cookie = devices.adding("ann", to: [], at: moment(0))
        let day: TimeInterval = 86_400
        #expect(devices.people(cookie, at: moment(179 * day)).map(\.id) == ["ann"])
        #expect(devices.people(cookie, at: moment(180 * day + 1)).isEmpty)
        // Another realm's, and none.
        let others = KnownDevice(ring: ring, realmID: "other")
        #expect(others.people(cookie, at: moment(0)).isEmpty)
        #expect(devices.people(nil, at: moment(0)).isEmpty)
    }

    @Test("WEB-COOKIE-6: name and value stay within 4096 bytes, or nothing is set")
    func length() throws {
        let name = "__Host-session-demo".utf8.count
        let fits = String(repeating: "a", count: 4096 - name)
        #expect(throws: Never.self) { try secure.set(session, to: fits) }
        #expect(throws: CookiePolicy.Refusal.tooLong) { try secure.set(session, to: fits + "a") }
    }

    @Test(
        "A value that would end the cookie or the header is refused",
        arguments: [
            "a b", "a;b", "a,b", "a\"b", "a\\b", "a\r\nSet-Cookie: x=y", "a\0", "é", "\u{7F}",
        ]
    )
    func unwritable(value: String) {
        #expect(throws: CookiePolicy.Refusal.unwritable) { try secure.set(session, to: value) }
    }

    @Test("An id in a cookie's name cannot end the name")
    func names() {
        #expect(secure.name(CookieName("attempt", "a=b; c")) == "__Host-attempt-a_61_b_59__32_c")
        #expect(secure.name(CookieName("a", "é")) != secure.name(CookieName("a", "e\u{301}")))
    }

    @Test(
        "A cookie is found among others",
        arguments: [
            ["__Host-session-demo=abc"], ["a=b; __Host-session-demo=abc; c=d"],
            ["a=b;__Host-session-demo=abc"], ["a=b", "__Host-session-demo=abc"],
            ["__Host-session-demo=abc ; c=d"], ["x__Host-session-demo=no; __Host-session-demo=abc"],
            ["; ;=; __Host-session-demo=abc;"], ["__host-session-demo=no; __Host-session-demo=abc"],
        ]
    )
    func found(cookies: [String]) {
        var headers = HTTPFields()
        for cookie in cookies { headers.append(HTTPField(name: .cookie, value: cookie)) }
        #expect(secure.value(of: session, in: headers) == "abc")
    }

    @Test("WEB-COOKIE-7: two cookies of one name are none, equal or not, in one header or in two")
    func duplicates() {
        let name = "__Host-session-demo"
        for cookies in [
            headers("\(name)=a; \(name)=b"), headers("\(name)=a; \(name)=a"),
            headers("\(name)=a", "\(name)=b"), headers("\(name)=; \(name)=b"),
        ] {
            #expect(secure.value(of: session, in: cookies) == nil)
        }
        #expect(secure.value(of: session, in: headers("\(name)-other=a; \(name)=b")) == "b")
        #expect(secure.value(of: session, in: headers(name)) == nil)
        #expect(secure.value(of: session, in: [:]) == nil)
    }

    @Test("All cookies of a purpose can be listed, to bound their number and what they take")
    func listed() {
        let cookies = headers("__Host-attempt-one=1; a=b", "__Host-attempt-two=2; __Host-attempt=3")
        let listed = secure.all(of: "attempt", in: cookies)
        #expect(listed.map(\.id) == ["one", "two"])
        #expect(
            listed.map(\.length) == [
                "__Host-attempt-one=1; ".count, "__Host-attempt-two=2; ".count,
            ]
        )
        #expect(secure.length(of: CookieName("attempt", "one"), "1") == listed[0].length)
    }
}
