package import PorticoProtocol

/// A person who signs in to a realm.
package struct Person: Hashable, Sendable {
    /// `sub` (OpenID Connect Core §2): at most 255 ASCII characters, never given to another.
    package var id: String
    package var realmID: String
    /// Unique in the realm; kept in its one spelling (``LoginName/folded(_:)``).
    package var username: String
    /// Unique in the realm in its one spelling, where present.
    ///
    /// What was proven of an address says nothing of another: if a person is given another one, it is
    /// unverified until ``isEmailVerified`` is set after it (OpenID Connect Core §5.1).
    package var email: String? {
        didSet {
            guard isEmailVerified || isEmailRelay,
                email.map(LoginName.folded) != oldValue.map(LoginName.folded)
            else { return }
            isEmailVerified = false
            isEmailRelay = false
        }
    }
    /// Set by an administrator or a file, that is their word (``EmailVerification/authoritative``);
    /// ``mailbox`` says by whom it is.
    package var isEmailVerified = false {
        didSet {
            if !isEmailVerified { emailProof = nil } else if !oldValue { emailProof = "authority" }
        }
    }
    /// As `email_proof` has it.
    private(set) var emailProof: String?
    private(set) var isEmailRelay = false
    /// Whether the person is found by the address: no one else of the realm holds it. Others may have
    /// it, as a provider gave it.
    package var holdsEmail = true
    package var givenName: String? {
        didSet { if givenName != oldValue { forgetWholeName() } }
    }
    package var familyName: String? {
        didSet { if familyName != oldValue { forgetWholeName() } }
    }
    /// The whole name, where a provider said it, or the person wrote it in one field. It yields to names
    /// that are set after it.
    package private(set) var name: String?
    /// The person wrote ``name`` themselves: no provider's changes it any more (PRV-A-5).
    package private(set) var isNameOwn = false
    package var isEnabled = true
    /// Whether the person has gone through the welcome page.
    package var isWelcomed = false
    /// Grants and sessions from before are dead. Seconds since 1970. Where it is raised, everything
    /// that there is dies at once, that of the same second too.
    package var notBefore: Int64 = 0
    /// Further facts by name: standard claims (`locale`, `phone_number`, …) and the realm's own.
    package var attributes: [String: [String]] = [:]
    /// What they must do at their next sign-in (``RequiredAction``).
    package var requiredActions: [String] = []
    /// The client (its id) whose own account this is: no one signs in to it.
    package var serviceClientID: String?
    /// Seconds since 1970.
    package var createdAt: Int64
    package var updatedAt: Int64
    /// At a provider, or by handle; `nil`: never.
    package var lastSignInAt: Int64?

    package init(id: String, realmID: String, username: String, createdAt: Int64) {
        self.id = id
        self.realmID = realmID
        self.username = username
        self.createdAt = createdAt
        updatedAt = createdAt
    }

    /// The name to show: the whole one, else the user name.
    package var displayName: String { fullName ?? username }

    /// What the person wrote in one field; else given and family name, else what a provider says.
    package var fullName: String? {
        if isNameOwn, let name { return name }
        let parts = [givenName, familyName].compactMap { $0 }.filter { !$0.isEmpty }
        return parts.isEmpty ? name : parts.joined(separator: " ")
    }

    /// - Parameter isOwn: Whether the person wrote it.
    package mutating func setName(_ name: String?, isOwn: Bool) {
        self.name = name
        isNameOwn = isOwn
    }

    /// What the person writes themselves.
    package mutating func setName(_ own: PersonName) {
        switch own {
        case .whole(let name): setName(name, isOwn: true)
        case .parts(let given, let family): (givenName, familyName) = (given, family)
        }
    }

    /// Its parts, where it has any.
    package var ownName: PersonName? {
        if isNameOwn, let name { return .whole(name) }
        guard givenName != nil || familyName != nil else { return name.map(PersonName.whole) }
        return .parts(given: givenName ?? "", family: familyName)
    }

    private mutating func forgetWholeName() {
        guard name != nil else { return }
        setName(nil, isOwn: false)
    }

    /// The address with what is known of it.
    package var mailbox: Mailbox? {
        get {
            email.map {
                Mailbox(
                    address: $0,
                    verification: EmailVerification(isVerified: isEmailVerified, proof: emailProof),
                    isRelay: isEmailRelay
                )
            }
        }
        set {
            email = newValue?.address
            isEmailVerified = newValue?.isVerified == true
            emailProof = newValue?.verification.proof
            isEmailRelay = newValue?.isRelay == true
        }
    }

    /// The tag of the language that mails are written in: the attribute `locale`.
    package var language: String {
        get { attributes["locale"]?.first ?? "en" }
        set { attributes["locale"] = [newValue] }
    }

    /// An https address, as a provider gave it: the attribute of that name.
    package var picture: String? {
        get { attributes["picture"]?.first }
        set { attributes["picture"] = newValue.map { [$0] } }
    }
}

/// What a person is called: in one field, or in two.
package enum PersonName: Hashable, Sendable {
    case whole(String)
    case parts(given: String, family: String?)
}

/// A password as it is kept: an encoded hash with its parameters and salt (docs/decisions/0037).
package struct PasswordHash: Hashable, Sendable {
    /// `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`
    package var encoded: String

    package init(encoded: String) {
        self.encoded = encoded
    }
}

/// A stronger hash of the same password (docs/decisions/0037).
package struct PasswordUpgrade: Hashable, Sendable {
    /// The hash that the password was checked against.
    package var former: PasswordHash
    package var stronger: PasswordHash

    package init(from former: PasswordHash, to stronger: PasswordHash) {
        self.former = former
        self.stronger = stronger
    }
}

package struct NewPerson: Equatable, Sendable {
    package var person: Person
    package var password: PasswordHash?
    package var roles: [RoleName]
    /// The ids of their groups.
    package var groupIDs: [String] = []
    package var credentials: [Credential] = []
    package var identities: [Identity] = []
    /// What they allowed clients (their ids).
    package var consents: [Consent] = []

    package init(person: Person, password: PasswordHash?, roles: [RoleName] = []) {
        self.person = person
        self.password = password
        self.roles = roles
    }
}

extension NewPerson {
    /// A person's account at an identity provider.
    package struct Identity: Hashable, Sendable {
        /// The provider's name in the realm.
        package var provider: String
        /// `sub` there.
        package var subject: String
        package var username: String?

        package init(provider: String, subject: String, username: String?) {
            self.provider = provider
            self.subject = subject
            self.username = username
        }
    }

    /// What the person allowed a client, and when (Unix seconds).
    package struct Consent: Equatable, Sendable {
        package let clientID: String
        package let scope: Scope
        package let at: Int64

        package init(clientID: String, scope: Scope, at: Int64) {
            self.clientID = clientID
            self.scope = scope
            self.at = at
        }
    }
}

extension Person {
    /// The attribute that holds a person's DID.
    package static let didAttribute = "did"

    /// Who the person is to the AT Protocol; `nil` where the attribute `did` is not one DID, which is
    /// ASCII (DID Core §3.1). It is no other's of the realm: the store refuses that (`people_by_did`).
    package var did: String? {
        guard let values = attributes[Self.didAttribute], values.count == 1,
            values[0].utf8.starts(with: "did:".utf8), values[0].utf8.allSatisfy({ $0 < 0x80 })
        else { return nil }
        return values[0]
    }

    /// Whether they had a DID that is theirs no more. What began with it ends: it is the `sub` of some
    /// sessions, which never become another account's (AT Protocol, OAuth).
    package func losesDID(of former: Person) -> Bool {
        former.did != nil && former.did != did
    }
}

extension SQLTransaction {
    /// Keeps the DID apart, beside the attributes, so that no one else can have it.
    func noteDID(of person: Person) throws {
        try run(
            """
            UPDATE people SET did = $1
            WHERE id = $2 AND realm_id = $3 AND COALESCE(did, '') <> COALESCE($1, '')
            """,
            [SQLValue(person.did), .text(person.id), .text(person.realmID)]
        )
    }
}

/// A client that may act for a person.
package struct ConnectedApp: Hashable, Sendable {
    /// The client's UUID.
    package var clientID: String
    /// What it was allowed, and what its live grants are for.
    package var scope: Scope
    /// When the person allowed it; `nil` where the person was not asked. Seconds since 1970.
    package var allowedAt: Int64?
    /// When it last got tokens by a grant that is live; `nil` where it has none.
    package var lastUsedAt: Int64?
}

/// A person with what they were given themselves; ``RoleGraph`` says what that amounts to.
package struct PersonWithRoles: Hashable, Sendable {
    package var person: Person
    package var roles: [RoleName]
    /// The ids of their groups.
    package var groupIDs: [String]

    package init(person: Person, roles: [RoleName], groupIDs: [String] = []) {
        self.person = person
        self.roles = roles
        self.groupIDs = groupIDs
    }
}

package struct PersonCredentials: Hashable, Sendable {
    package var person: Person
    package var password: PasswordHash?
    /// How often the person was signed out everywhere. What was begun at an earlier count is dead:
    /// a sign-in that checked the former password, too.
    package var epoch: Int64 = 0
}
