import ArgumentParser
import PorticoATProtocol
import PorticoProvider
import PorticoStores

/// The fields of a new or changed person. What is left out stays as it is.
struct PersonFields: ParsableArguments {
    @Option(help: .value("address", "The email address; empty: none.")) var email: String?

    @Flag(inversion: .prefixedNo, help: "Whether the address is verified.")
    var emailVerified: Bool?

    @Option(help: .value("name", "The given name; empty: none.")) var givenName: String?

    @Option(help: .value("name", "The family name; empty: none.")) var familyName: String?

    @Option(help: .value("did", "Their DID in the AT Protocol; empty: none."))
    var did: String?

    @OptionGroup var attributes: AttributeFields

    @Flag(inversion: .prefixedEnableDisable, help: "Whether they can sign in.") var user: Bool?

    func validate() throws {
        guard let did, !did.isEmpty else { return }
        do {
            _ = try DID(did)
        } catch {
            throw ValidationError("--did must be a did:plc or a did:web.")
        }
    }

    func apply(to person: inout Person) {
        if let email { person.email = email.isEmpty ? nil : email }
        if let emailVerified { person.isEmailVerified = emailVerified }
        if let givenName { person.givenName = givenName }
        if let familyName { person.familyName = familyName }
        if let user { person.isEnabled = user }
        attributes.apply(to: &person.attributes)
        if let did { person.attributes[Person.didAttribute] = did.isEmpty ? nil : [did] }
    }
}
