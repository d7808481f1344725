import ArgumentParser
import PorticoProvider
import PorticoStores

/// The fields of a new or changed person. What is left out stays as it is.
struct PersonFields: ParsableArguments {
    @Option(help: .value("address", "The email address; empty: none.")) var email: String?

    @Flag(inversion: .prefixedNo, help: "Whether the address is verified.")
    var emailVerified: Bool?

    @Option(help: .value("name", "The given name; empty: none.")) var givenName: String?

    @Option(help: .value("name", "The family name; empty: none.")) var familyName: String?

    @Option(
        name: .customLong("attribute"),
        help: .value(
            "name=value",
            "Another attribute. Repeat for several, even with one name; NAME= removes it."
        )
    )
    var attributes: [String] = []

    @Flag(inversion: .prefixedEnableDisable, help: "Whether they can sign in.") var user: Bool?

    func validate() throws {
        for attribute in attributes where !attribute.dropFirst().contains("=") {
            throw ValidationError("--attribute must be written as NAME=VALUE.")
        }
    }

    func apply(to person: inout Person) {
        if let email {
            // OpenID Connect Core §5.1: what was proven of the former address says nothing of
            // another.
            if EmailAddress.folded(email) != person.email { person.isEmailVerified = false }
            person.email = email.isEmpty ? nil : email
        }
        if let emailVerified { person.isEmailVerified = emailVerified }
        if let givenName { person.givenName = givenName }
        if let familyName { person.familyName = familyName }
        if let user { person.isEnabled = user }
        for (name, values) in namedAttributes {
            person.attributes[name] = values.isEmpty ? nil : values
        }
    }

    private var namedAttributes: [String: [String]] {
        var named: [String: [String]] = [:]
        for attribute in attributes {
            let parts = attribute.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2 else { continue }
            named[String(parts[0]), default: []] += parts[1].isEmpty ? [] : [String(parts[1])]
        }
        return named
    }
}
