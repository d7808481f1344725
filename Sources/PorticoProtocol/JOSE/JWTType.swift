import PorticoBytes

/// What a JWT is meant to be, told by its `typ` header (RFC 8725 §3.11).
///
/// Each validator names the types it takes, so that one kind of token is never taken for another
/// (RFC 8725 §3.12).
package enum JWTType: String, CaseIterable, Hashable, Sendable {
    /// Not typed explicitly: `JWT`, or no `typ` at all. So are ID Tokens (OpenID Connect Core §2).
    case jwt = "JWT"
    /// RFC 9068 §2.1.
    case accessToken = "at+jwt"
    /// The update of RFC 7523 that makes the issuer the only audience.
    case clientAuthentication = "client-authentication+jwt"
    /// OpenID Connect Back-Channel Logout §2.4.
    case logoutToken = "logout+jwt"
    /// RFC 9449 §4.2.
    case dpopProof = "dpop+jwt"

    /// Reads a `typ` header: a media type, so its case does not matter, and `application/` may
    /// stand in front or be left out (RFC 7515 §4.1.9).
    ///
    /// - Returns: `nil` where the type is none of ours.
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
