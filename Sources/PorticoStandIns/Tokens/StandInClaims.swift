import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// A stand-in's claims about a person, in the form of the real provider.
struct StandInClaims {
    let grant: StandInGrant
    let base: String

    /// The claims of an ID Token, without those about time and the request.
    var idToken: JSONObject {
        switch grant.kind {
        case .google:
            var claims: JSONObject = ["azp": .string(grant.client.clientID)]
            merge(profile, into: &claims)
            return claims
        case .apple: return apple
        case .facebook, .openID: return profile
        }
    }

    /// The claims of UserInfo (OpenID Connect Core §5.1), as far as requested.
    var profile: JSONObject {
        let person = grant.person
        var claims: JSONObject = ["sub": .string(grant.subject)]
        if let email = grant.email {
            claims["email"] = .string(email)
            // Facebook verifies no address (PRV-F-6).
            if grant.kind != .facebook {
                claims["email_verified"] = .bool(person.isEmailVerified)
            }
        }
        if grant.kind == .google, let domain = person.hostedDomain {
            claims["hd"] = .string(domain)
        }
        if showsName, !person.name.isEmpty {
            claims["name"] = .string(person.name)
            claims["given_name"] = .string(person.givenName)
            claims["family_name"] = .string(person.familyName)
            if grant.kind != .openID { claims["picture"] = .string("\(base)/picture/\(person.id)") }
        }
        return claims
    }

    /// Apple writes flags as texts; the name is never in the token (PRV-A-5, A-7).
    private var apple: JSONObject {
        var claims: JSONObject = [
            "sub": .string(grant.subject), "nonce_supported": true,
            "auth_time": NumericDate.value(grant.authTime),
        ]
        guard let email = grant.email else { return claims }
        claims["email"] = .string(email)
        claims["email_verified"] = grant.person.isEmailVerified ? "true" : "false"
        if grant.hidesEmail { claims["is_private_email"] = "true" }
        return claims
    }

    private var showsName: Bool {
        switch grant.kind {
        case .facebook: true
        case .google, .apple, .openID: grant.scopes.contains("profile")
        }
    }

    private func merge(_ other: JSONObject, into claims: inout JSONObject) {
        for (name, value) in other { claims[name] = value }
    }
}
