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

    @Test("decision 0064: --did is the attribute of that name; empty, it goes")
    func did() throws {
        let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
        var person = Person(id: "1", realmID: "r", username: "ann", createdAt: 0)
        try PersonFields.parse(["--did", did]).apply(to: &person)
        #expect(person.attributes == ["did": [did]])
        #expect(person.did == did)
        try PersonFields.parse(["--given-name", "Ann"]).apply(to: &person)
        #expect(person.did == did)
        try PersonFields.parse(["--did", ""]).apply(to: &person)
        #expect(person.attributes.isEmpty)
        for wrong in ["ann.example.com", "did:plc:short", "did:key:z6Mk", "did:web:localhost"] {
            #expect(throws: (any Error).self, "\(wrong)") {
                try PersonFields.parse(["--did", wrong])
            }
        }
    }
}
