import Testing

@testable import PorticoProtocol

@Suite("Scope")
struct ScopeTests {
    @Test("RFC 6749 §3.3: tokens with spaces between, repeats and order without meaning")
    func tokens() throws {
        let scope = try Scope("openid  email openid profile ")
        #expect(scope.tokens == ["openid", "email", "profile"])
        #expect(scope.text == "openid email profile")
        let other = try Scope("profile openid email")
        #expect(scope == other && scope.hashValue == other.hashValue)
        #expect(try scope != Scope("profile openid"))
        #expect(try Scope("").isEmpty)
        #expect(try Scope(" ").isEmpty)
    }

    @Test("RFC 6749 §3.3: tokens are compared with regard to case")
    func caseMatters() throws {
        #expect(try !Scope("OpenID").contains("openid"))
    }

    @Test(
        "RFC 6749 §3.3: a character outside the set is invalid_scope",
        arguments: ["a\"b", "a\\b", "a\tb", "a\nb", "a\u{0}", "\u{7F}", "é", "a\u{A0}b"]
    )
    func foreign(text: String) {
        #expect {
            _ = try Scope(text)
        } throws: {
            ($0 as? OAuthError)?.code == .invalidScope
        }
    }

    @Test("RFC 6749 §6: whether a scope lies within another, and what two have in common")
    func subset() throws {
        let granted = try Scope("openid email profile")
        #expect(try Scope("email").isSubset(of: granted))
        #expect(Scope.none.isSubset(of: granted))
        #expect(try !Scope("email admin").isSubset(of: granted))
        let both = try Scope("admin profile email").intersection(granted)
        #expect(both.text == "profile email")
    }

    @Test(
        "WEB-INPUT-1: more than 100 tokens or 4,096 bytes are invalid_scope",
        arguments: [
            (100, 10, true), (101, 1, false), (18_230, 3, false), (1, 4_096, true),
            (1, 4_097, false),
        ]
    )
    func bounds(tokens: Int, length: Int, isRead: Bool) {
        let words = (0..<tokens).map { number in
            let digits = "\(number)"
            return digits + String(repeating: "x", count: max(0, length - digits.count))
        }
        let scope = Result { try Scope(words.joined(separator: " ")) }
        switch scope {
        case .success(let scope): #expect(isRead && scope.tokens.count == tokens)
        case .failure(let error):
            #expect(!isRead && (error as? OAuthError)?.code == .invalidScope)
        }
    }
}
