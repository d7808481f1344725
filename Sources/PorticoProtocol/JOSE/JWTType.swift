import PorticoBytes

/// The kind of a JWT, given by its `typ` header (RFC 8725 §3.11).
///
/// Each validator lists the types that it accepts, so that one kind of token is never mistaken for
/// another (RFC 8725 §3.12).
package enum JWTType: String, CaseIterable, Hashable, Sendable {
    /// Not typed explicitly: `JWT`, or no `typ`. Used by ID Tokens (OpenID Connect Core §2).
    case jwt = "JWT"
    /// RFC 9068 §2.1.
    case accessToken = "at+jwt"
    /// From the update of RFC 7523 that makes the issuer the only audience.
    case clientAuthentication = "client-authentication+jwt"
    /// OpenID Connect Back-Channel Logout §2.4.
    case logoutToken = "logout+jwt"
    /// RFC 9449 §4.2.
    case dpopProof = "dpop+jwt"

    /// Reads a `typ` header: a media type, so it is case-insensitive, and the prefix `application/`
    /// is optional (RFC 7515 §4.1.9).
    ///
    /// - Returns: `nil` if the type is not one of these.
    package init?(header: String?) {
        guard let header else {
            self = .jwt
            return
        }
        let name = header.utf8.map(Self.lowercased)
        let prefix = Array("application/".utf8)
        let bare = name.starts(with: prefix) ? name.dropFirst(prefix.count) : name[...]
        guard
            let type = Self.allCases.first(where: {
                $0.rawValue.utf8.lazy.map(Self.lowercased).elementsEqual(bare)
            })
        else {
            return nil
        }
        self = type
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte.lowercased
    }
}
