import Testing

@testable import Portico

@Suite("The identity of a person") struct UserTests {
    @Test(
        "OpenID Connect Core §5.7, §14: two spellings of one subject or issuer are two people",
        arguments: [("i", "cafe\u{301}"), ("\u{212B}", "caf\u{E9}"), ("i", "caf\u{C9}")]
    )
    func spellings(_ issuer: String, _ subject: String) {
        let one = User.ID(issuer: issuer == "i" ? "i" : "\u{C5}", subject: "caf\u{E9}")
        let other = User.ID(issuer: issuer, subject: subject)
        #expect(one != other)
        let known = [one: 1, other: 2]
        #expect(known[one] == 1)
        #expect(one == User.ID(issuer: one.issuer, subject: one.subject))
    }
}
