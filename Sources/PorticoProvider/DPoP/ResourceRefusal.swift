import HTTPTypes
import PorticoPages
import PorticoProtocol
import PorticoWeb

/// UserInfo refuses: a challenge for each scheme, that of proofs first (RFC 9449 §7.1, §7.2).
///
/// The error is in the challenge of the scheme that was used. Two fields, because clients that read
/// only the first scheme of a field read both this way.
struct ResourceRefusal: Refusal {
    /// `nil` if the request had no token: no challenge has an error then (RFC 6750 §3.1).
    private let error: OAuthError?
    private let scheme: PresentedToken.Scheme

    init(_ error: OAuthError?, _ scheme: PresentedToken.Scheme = .bearer) {
        self.error = error
        self.scheme = scheme
    }

    var name: String { error?.code.rawValue ?? "unauthorized" }
    var json: JSONValue? { error?.json }

    /// A proof that is missing or wrong is 401 here, not 400 as at the token endpoint (RFC 9449
    /// §7.1, §9).
    var status: HTTPResponse.Status {
        guard let error, ![.invalidDPoPProof, .useDPoPNonce].contains(error.code) else {
            return .unauthorized
        }
        return error.status
    }

    func fields(realm: String) -> HTTPFields {
        let scope = error?.code == .insufficientScope ? "openid" : nil
        func challenge(_ own: PresentedToken.Scheme) -> BearerChallenge {
            let isUsed = scheme == own
            return BearerChallenge(isUsed ? error : nil, issuer: realm, scope: isUsed ? scope : nil)
        }
        var fields = HTTPFields()
        for value in [challenge(.dpop).proofValue, challenge(.bearer).value] {
            fields.append(HTTPField(name: .wwwAuthenticate, value: value))
        }
        return fields
    }
}
