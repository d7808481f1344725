/// A person with an account at a stand-in.
package struct StandInPerson: Hashable, Sendable {
    /// The value of the account chooser's button; a word of ASCII letters.
    package var id: String
    package var givenName: String
    package var familyName: String
    /// `nil` for an account made with a phone number, or managed by an organisation.
    package var email: String?
    package var isEmailVerified = true
    /// Gives applications a relay address instead of the real one (Sign in with Apple).
    package var hidesEmail = false
    /// `hd`: the Google Workspace domain that the account belongs to.
    package var hostedDomain: String?

    package init(
        id: String,
        givenName: String,
        familyName: String,
        email: String?,
        isEmailVerified: Bool = true,
        hidesEmail: Bool = false,
        hostedDomain: String? = nil
    ) {
        self.id = id
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.hidesEmail = hidesEmail
        self.hostedDomain = hostedDomain
    }

    package var name: String {
        [givenName, familyName].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension StandInPerson {
    /// Ann has one address everywhere, for testing every rule of linking accounts by email:
    /// verified at Google (with a Workspace that owns the domain), at Apple and at the OpenID
    /// provider, unverified at Facebook, which verifies none.
    package static let ann = StandInPerson(
        id: "ann",
        givenName: "Ann",
        familyName: "Example",
        email: "ann@example.com",
        hostedDomain: "example.com"
    )

    /// Ben's address is verified, but no provider owns its domain.
    package static let ben = StandInPerson(
        id: "ben",
        givenName: "Ben",
        familyName: "Sample",
        email: "ben@example.org"
    )

    /// Uma's address is not verified anywhere.
    package static let uma = StandInPerson(
        id: "uma",
        givenName: "Uma",
        familyName: "Unverified",
        email: "ann@example.com",
        isEmailVerified: false
    )

    /// Hides her address behind Apple's relay.
    package static let rea = StandInPerson(
        id: "rea",
        givenName: "Rea",
        familyName: "Relay",
        email: "rea@example.net",
        hidesEmail: true
    )

    /// Registered with his phone number: no address.
    package static let paul = StandInPerson(
        id: "paul",
        givenName: "Paul",
        familyName: "Phone",
        email: nil
    )

    /// An account managed by a school: no address, no name.
    package static let managed = StandInPerson(
        id: "managed",
        givenName: "",
        familyName: "",
        email: nil
    )

    /// Writes from right to left.
    package static let layla = StandInPerson(
        id: "layla",
        givenName: "ليلى",
        familyName: "مثال",
        email: "layla@example.com",
        hostedDomain: "example.com"
    )

    /// Mia's name is markup, which no page may render (E11).
    package static let mia = StandInPerson(
        id: "mia",
        givenName: "<script>alert(1)</script>",
        familyName: "O'Markup & \"Söhne\"",
        email: "mia@example.net"
    )

    /// The people with an account at a provider.
    package static func everybody(at kind: StandInKind) -> [StandInPerson] {
        switch kind {
        case .google: [ann, ben, uma, layla]
        case .facebook: [ann, ben, paul, mia]
        case .apple: [ann, rea, managed, mia]
        case .openID: [ann, ben, uma, paul, layla, mia]
        }
    }
}
