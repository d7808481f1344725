package import PorticoBytes
package import PorticoStores

/// Registers or changes a person of a realm, by rules shared by the command line and the import.
package struct PersonRegistration: Sendable {
    private let hashing: PasswordHashing
    private let policy = PasswordPolicy()

    package init(hashing: PasswordHashing) {
        self.hashing = hashing
    }

    /// A new person with that name and a random id (OpenID Connect Core §2: never reassigned).
    package func person(
        username: String,
        realmID: String,
        at moment: Moment
    ) throws(Refusal) -> Person {
        try checked(
            Person(
                id: UniqueID(random: moment.random).text,
                realmID: realmID,
                username: username,
                createdAt: moment.seconds
            )
        )
    }

    /// The person in stored form: names in their canonical spelling, empty ones left out.
    ///
    /// - Throws: The first rule that a field breaks.
    package func checked(_ person: Person) throws(Refusal) -> Person {
        var person = person
        guard Self.isSubject(person.id) else { throw .id }
        person.username = LoginName.folded(person.username)
        guard LoginName.isName(person.username) else { throw .username }
        if let email = person.email {
            person.email = email.isEmpty ? nil : EmailAddress.folded(email)
            guard email.isEmpty || person.email != nil else { throw .email }
        }
        person.isEmailVerified = person.isEmailVerified && person.email != nil
        person.givenName = try Self.name(person.givenName, .givenName)
        person.familyName = try Self.name(person.familyName, .familyName)
        guard person.attributes.count <= 100 else { throw .attributes }
        for (name, values) in person.attributes {
            guard (1...200).contains(name.utf8.count), PlainText.isLine(name, length: 200),
                values.count <= 100, values.allSatisfy({ PlainText.isText($0, length: 2048) })
            else { throw .attributes }
        }
        return person
    }

    /// Hashes a new password that meets the policy.
    ///
    /// - Throws: ``PasswordPolicy/Refusal``, or ``PasswordHashing/Busy``.
    package func hash(
        _ password: SecretText,
        for person: Person,
        realmName: String,
        random: RandomSource
    ) async throws -> PasswordHash {
        let admitted = try policy.check(password.reveal(), for: person, in: realmName)
        return try await hashing.hash(admitted, random: random)
    }

    /// Hashes a password that is already in use: an import does not change passwords.
    ///
    /// - Returns: The hash, and the rule of the policy that the password breaks.
    package func hashInUse(
        _ password: SecretText,
        for person: Person,
        realmName: String,
        random: RandomSource
    ) async throws -> (hash: PasswordHash, broken: PasswordPolicy.Refusal?) {
        var broken: PasswordPolicy.Refusal?
        do {
            _ = try policy.check(password.reveal(), for: person, in: realmName)
        } catch {
            broken = error
        }
        guard let text = PasswordText(password.reveal()) else {
            throw PasswordPolicy.Refusal.tooLong
        }
        return (try await hashing.hash(text, random: random), broken)
    }

    /// Whether an id made by another system can be a person's `sub`: at most 255 visible ASCII
    /// characters (OpenID Connect Core §2), and not in the form of a client's subject (RFC 9700
    /// §4.15).
    package static func isSubject(_ id: String) -> Bool {
        (1...255).contains(id.utf8.count) && !id.hasPrefix("client:")
            && id.utf8.allSatisfy { $0.isVisible && !#""\<>"#.utf8.contains($0) }
    }

    private static func name(_ text: String?, _ refusal: Refusal) throws(Refusal) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard PlainText.isLine(text, length: 200) else { throw refusal }
        return text
    }

    package enum Refusal: Error, CaseIterable, Hashable, Sendable {
        case id
        case username
        case email
        case givenName
        case familyName
        case attributes

        package var field: StaticString {
            switch self {
            case .id: "id"
            case .username: "username"
            case .email: "email"
            case .givenName: "given name"
            case .familyName: "family name"
            case .attributes: "attributes"
            }
        }

        package var rule: StaticString {
            switch self {
            case .id: "An id has 1 to 255 visible ASCII characters (OpenID Connect Core 2)."
            case .username:
                "A username has letters, digits and ASCII signs, no spaces, at most 200 bytes."
            case .email: "An email address is ASCII of the form name@host, at most 254 bytes."
            case .givenName, .familyName: "A name is one line of at most 200 bytes."
            case .attributes:
                "At most 100 attributes of at most 100 values, each of at most 2048 bytes of text."
            }
        }
    }
}
