import PorticoBytes
import PorticoStores
import PorticoSystem

/// An account that is made once a code has shown that the address is the person's, carried by the
/// page that asks for the code: nothing of it is stored before (docs/decisions/0052).
struct RegistrationDraft: Sendable, Equatable {
    /// Of the account, drawn before: the same form sent twice makes one.
    let personID: String
    let username: String
    let email: String
    let givenName: String
    let familyName: String
    let password: PasswordHash
    /// The hash of the form cookie of the browser that it was typed in.
    let browser: Hash256
    /// The sign-in that it was typed for (``SignInPurpose/transaction``).
    let transaction: String

    /// - Returns: `nil` for a person without an address.
    init?(_ person: Person, _ password: PasswordHash, browser: String, transaction: String) {
        guard let email = person.email else { return nil }
        personID = person.id
        username = person.username
        self.email = email
        givenName = person.givenName ?? ""
        familyName = person.familyName ?? ""
        self.password = password
        self.browser = Hash256(of: browser)
        self.transaction = transaction
    }

    func person(realmID: String, at now: Int64) -> Person {
        var person = Person(id: personID, realmID: realmID, username: username, createdAt: now)
        person.email = email
        person.givenName = givenName.isEmpty ? nil : givenName
        person.familyName = familyName.isEmpty ? nil : familyName
        return person
    }
}

extension RegistrationDraft: CarriedByPage {
    static let purpose: StaticString = "registration"
    static let patience = TimeInterval(AuthorizationFlow.patience)
    static let maximumLength = 4096

    var encoded: [UInt8] {
        var writer = ByteWriter()
        for text in [personID, username, email, givenName, familyName, password.encoded] {
            writer.text(text)
        }
        writer.fixed(browser.bytes)
        writer.text(transaction)
        return writer.bytes
    }

    init(encoded: [UInt8]) throws {
        var reader = ByteReader(encoded)
        personID = try reader.text()
        username = try reader.text()
        email = try reader.text()
        givenName = try reader.text()
        familyName = try reader.text()
        password = PasswordHash(encoded: try reader.text())
        browser = Hash256(kept: try reader.fixed(32))
        transaction = try reader.text()
        try reader.end()
    }
}
