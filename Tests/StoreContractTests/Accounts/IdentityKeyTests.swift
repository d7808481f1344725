import PorticoStores
import Testing

@Suite("Whose an identity is") struct IdentityKeyTests {
    @Test(
        "OpenID Connect Core §5.7, §14: two spellings of one subject or issuer are two people",
        arguments: [
            (IdentityKey(issuer: "i", subject: "caf\u{E9}"), "i", "cafe\u{301}"),
            (IdentityKey(issuer: "\u{212B}", subject: "s"), "\u{C5}", "s"),
            (IdentityKey(issuer: "i", subject: "s"), "i", "S"),
        ]
    )
    func spellings(_ one: IdentityKey, _ issuer: String, _ subject: String) {
        let other = IdentityKey(issuer: issuer, subject: subject)
        #expect(one != other)
        let known = [one: 1, other: 2]
        #expect(known[one] == 1)
        #expect(Set([one, other, one]).count == 2)
    }
}
