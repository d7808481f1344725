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
    /// - Parameter former: The person as they are: what stays is not judged, because an import may have
    ///   brought it.
    /// - Throws: The first rule that a field breaks.
    package func checked(_ person: Person, replacing former: Person? = nil) throws(Refusal)
        -> Person
    {
        var person = person
        guard Self.isSubject(person.id) else { throw .id }
        person.username = LoginName.folded(person.username)
        guard LoginName.isName(person.username) || former?.username == person.username else {
            throw .username
        }
        if let email = person.email, email != former?.email {
            person.email = email.isEmpty ? nil : EmailAddress.folded(email)
            guard email.isEmpty || person.email != nil else { throw .email }
        }
        person.isEmailVerified = person.isEmailVerified && person.email != nil
        person.givenName = try Self.name(person.givenName, former?.givenName, .givenName)
        person.familyName = try Self.name(person.familyName, former?.familyName, .familyName)
        let known = former?.attributes ?? [:]
        guard person.attributes.count <= max(100, known.count) else { throw .attributes }
        for (name, values) in person.attributes where known[name] != values {
            guard (1...200).contains(name.utf8.count), PlainText.isLine(name, length: 200),
                values.count <= 100, values.allSatisfy({ PlainText.isText($0, length: 2048) })
            else { throw .attributes }
        }
        return person
    }

    /// A person of another system's file, in stored form: what was good there is kept, and what cannot
    /// be kept is left out alone (docs/decisions/0121).
    ///
    /// - Parameter leave: Is told what is left out: the field, and which attribute. In place of a user
    ///   name comes the email address, or the id.
    /// - Throws: ``Refusal/id``.
    package func imported(
        _ person: Person,
        leaving leave: (_ field: Refusal, _ attribute: String?) -> Void
    ) throws(Refusal) -> Person {
        var person = person
        guard Self.isSubject(person.id) else { throw .id }
        if let email = person.email {
            person.email = EmailAddress.folded(email)
            if person.email == nil, !email.isEmpty { leave(.email, nil) }
        }
        person.isEmailVerified = person.isEmailVerified && person.email != nil
        person.username = LoginName.folded(person.username)
        if person.username.isEmpty || !PlainText.isLine(person.username, length: Self.longestName) {
            leave(.username, nil)
            person.username = LoginName.folded(person.email ?? person.id)
        }
        if let name = person.givenName, !PlainText.isLine(name, length: Self.longestName) {
            leave(.givenName, nil)
            person.givenName = nil
        }
        if let name = person.familyName, !PlainText.isLine(name, length: Self.longestName) {
            leave(.familyName, nil)
            person.familyName = nil
        }
        person.attributes = Self.keepable(person.attributes) { leave(.attributes, $0) }
        return person
    }

    /// 255 characters of what an import brings.
    private static let longestName = 255 * 4
    /// Of all attributes of one person together, in bytes.
    private static let longestAttributes = 256 * 1024

    /// Attributes of a person, group or role out of a file, as far as they are kept, by their names.
    package static func keepable(
        _ attributes: [String: [String]],
        leaving leave: (String) -> Void
    ) -> [String: [String]] {
        var kept: [String: [String]] = [:]
        var size = 0
        for (name, values) in attributes.sorted(by: { $0.key < $1.key }) {
            let bytes = values.reduce(name.utf8.count) { $0 + $1.utf8.count }
            guard (1...longestName).contains(name.utf8.count), kept.count < 1000,
                values.count <= 1000, size + bytes <= longestAttributes
            else {
                leave(name)
                continue
            }
            size += bytes
            kept[name] = values
        }
        return kept
    }

    /// Hashes a new password that meets the policy.
    ///
    /// - Throws: ``PasswordPolicy/Refusal``, or ``PasswordHashing/Busy``.
    package func hash(
        _ password: SecretText,
        for person: Person,
        realmName: String,
        by asker: HashingAsker,
        random: RandomSource
    ) async throws -> PasswordHash {
        let admitted = try policy.check(password.reveal(), for: person, in: realmName)
        return try await hashing.hash(admitted, for: asker, random: random)
    }

    /// Whether it is the password that is kept.
    ///
    /// - Throws: ``PasswordHashing/Busy``.
    package func isPassword(_ password: SecretText, _ kept: PasswordHash?, by asker: HashingAsker)
        async throws -> Bool
    {
        guard let kept, let text = PasswordText(password.reveal()) else { return false }
        return try await hashing.verify(text, against: kept, for: asker)
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
        return (try await hashing.hash(text, for: .server, random: random), broken)
    }

    /// Whether an id made by another system can be a person's `sub`: at most 255 visible ASCII
    /// characters (OpenID Connect Core §2), and not in the form of a client's subject (RFC 9700
    /// §4.15).
    package static func isSubject(_ id: String) -> Bool {
        (1...255).contains(id.utf8.count) && !id.hasPrefix("client:")
            && id.utf8.allSatisfy { $0.isVisible && !#""\<>"#.utf8.contains($0) }
    }

    private static func name(_ text: String?, _ former: String?, _ refusal: Refusal)
        throws(Refusal) -> String?
    {
        guard let text, !text.isEmpty else { return nil }
        if text == former { return text }
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

/// What new people of a realm get.
package struct NewPersonDefaults: Sendable {
    package let roles: [RoleName]
    package let groupIDs: [String]

    package init(_ realm: Realm) {
        roles = realm.defaultRoles
        groupIDs = realm.defaultGroupIDs
    }
}

/// An email address as stored: ASCII, lower case (HTML standard §4.10.5.1.5, "valid e-mail
/// address").
package enum EmailAddress {
    /// The address in its stored form, or `nil` if it is not valid.
    package static func folded(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count <= 254, let at = bytes.firstIndex(of: UInt8(ascii: "@")),
            1...64 ~= at, bytes[..<at].allSatisfy(isLocal),
            isDomain(bytes[(at + 1)...])
        else { return nil }
        return text.lowercased()
    }

    private static func isLocal(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || ".!#$%&'*+/=?^_`{|}~-".utf8.contains(byte)
    }

    private static func isDomain(_ domain: ArraySlice<UInt8>) -> Bool {
        domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
            label in
            1...63 ~= label.count
                && label.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
                && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
        }
    }
}
