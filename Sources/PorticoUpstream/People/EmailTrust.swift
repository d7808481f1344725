import PorticoProtocol

/// How far a provider's claim about an email address is trusted (docs/decisions/0020).
enum EmailTrust: Sendable {
    /// Verified if the provider says so; its authority over the mailbox is unknown.
    case vouched
    /// The same, with authority over `gmail.com` and an organisation's own domain (PRV-G-6).
    case google
    /// The same; its relay addresses are never compared with others (PRV-A-8).
    case apple
    /// Its addresses are never verified (PRV-F-6).
    case never

    struct Judgement: Hashable, Sendable {
        var email: ProvenPerson.Email?
        var isAuthoritative = false
        var match = ProvenPerson.EmailMatch.never
    }

    func judge(_ claims: JSONObject) -> Judgement {
        guard let address = claims.string("email"), Self.isAddress(address) else {
            return Judgement()
        }
        let isVerified = self != .never && Self.isTrue(claims["email_verified"])
        let isRelay = self == .apple && Self.isRelay(address, claims)
        let isAuthoritative =
            self == .google && isVerified
            && (Self.domain(of: address) == "gmail.com" || !(claims.string("hd") ?? "").isEmpty)
        var judgement = Judgement()
        judgement.email = ProvenPerson.Email(
            address: address,
            isVerified: isVerified,
            isRelay: isRelay
        )
        judgement.isAuthoritative = isAuthoritative
        judgement.match = match(isVerified, isRelay, isAuthoritative)
        return judgement
    }

    private func match(_ isVerified: Bool, _ isRelay: Bool, _ isAuthoritative: Bool)
        -> ProvenPerson.EmailMatch
    {
        if isRelay { return .never }
        // The person must prove the other account anyway: asking reveals to them no more than an
        // address alone would.
        if self == .never { return .ask }
        guard isVerified else { return .never }
        return isAuthoritative ? .linkable : .ask
    }

    /// Some providers write Booleans as text (PRV-A-7).
    private static func isTrue(_ value: JSONValue?) -> Bool {
        value == true || value == "true"
    }

    private static func isRelay(_ address: String, _ claims: JSONObject) -> Bool {
        isTrue(claims["is_private_email"]) || domain(of: address) == "privaterelay.appleid.com"
    }

    private static func domain(of address: String) -> String {
        (address.split(separator: "@").last ?? "").lowercased()
    }

    /// A basic check before an address is shown or used for mail: no white space, no control
    /// character, a part on either side of the sign (RFC 5321 §4.5.3.1).
    private static func isAddress(_ text: String) -> Bool {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar.value > 0x20 && scalar.properties.generalCategory != .control
                && !scalar.properties.isWhitespace
                && !"<>,;:\\\"()[]".unicodeScalars.contains(scalar)
        }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return isPlain && text.utf8.count <= 254 && parts.count == 2
            && parts.allSatisfy { !$0.isEmpty }
    }
}
