import ArgumentParser
import PorticoStores
import Testing

@testable import PorticoProgram

@Suite("What is said of a person")
struct PersonFieldsTests {
    @Test(
        "OpenID Connect Core §5.1: a changed address is unverified until it is marked as verified",
        arguments: [
            (["--email", "new@example.com"], "new@example.com", false),
            (["--email", "new@example.com", "--email-verified"], "new@example.com", true),
            (["--email", ""], nil, false),
            (["--email", "Ann@Example.com"], "Ann@Example.com", true),
            (["--given-name", "Anna"], "ann@example.com", true),
            (["--no-email-verified"], "ann@example.com", false),
        ] as [([String], String?, Bool)]
    )
    func email(arguments: [String], email: String?, isVerified: Bool) throws {
        var person = Person(id: "1", realmID: "r", username: "ann", createdAt: 0)
        person.email = "ann@example.com"
        person.isEmailVerified = true
        try PersonFields.parse(arguments).apply(to: &person)
        #expect(person.email == email)
        #expect(person.isEmailVerified == isVerified)
    }
}
