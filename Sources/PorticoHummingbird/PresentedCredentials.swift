import HTTPTypes
import Hummingbird
public import Portico
import PorticoBytes
import PorticoProtocol

/// The credentials of a request. A token in the field `Authorization` takes precedence: a request
/// uses one method only (RFC 6750 §2).
enum PresentedCredentials: Hashable {
    case bearer(String)
    /// An access token that comes with a proof of possession (RFC 9449 §7.1).
    case proven(String)
    /// Of the session, and of a sign-in by internet handle: the backend says whose they are.
    case cookies([SessionCookie])
    case none
    /// Credentials are present, but cannot be a token.
    case malformed

    /// - Parameters:
    ///   - names: The names of the session cookies, if accepted.
    ///   - takesProofs: Whether the scheme `DPoP` is accepted.
    init(_ fields: HTTPFields, cookies names: [String], takesProofs: Bool) {
        let schemes: [Scheme] = takesProofs ? [.bearer, .dpop] : [.bearer]
        let authorizations = fields[values: .authorization].filter { field in
            Scheme(field).map(schemes.contains) ?? false
        }
        guard authorizations.isEmpty else {
            self = Self.token(in: authorizations) ?? .malformed
            return
        }
        let cookies = names.compactMap { name -> SessionCookie? in
            guard let value = Self.value(of: name, in: fields), !value.isEmpty,
                value.utf8.allSatisfy({ Self.isTokenCharacter($0) || $0 == UInt8(ascii: "%") })
            else { return nil }
            return SessionCookie(name: name, value: value)
        }
        self = cookies.isEmpty ? .none : .cookies(cookies)
    }

    /// One of the backend's cookies.
    struct SessionCookie: Hashable {
        /// Of sign-ins by internet handle.
        static let byHandle = "sid"

        let name: String
        let value: String

        var text: String { "\(name)=\(value)" }
    }

    /// Distinguishes sessions in the cache.
    var cacheKey: String {
        switch self {
        case .bearer(let token): "bearer \(token)"
        case .cookies(let cookies): "cookie " + cookies.map(\.text).joined(separator: "; ")
        case .proven, .none, .malformed: ""
        }
    }

    private static let longest = JWS.standardLimit

    private enum Scheme: String, CaseIterable {
        case bearer, dpop

        /// Case-insensitive (RFC 9110 §11.1).
        init?(_ field: String) {
            let name = field.utf8.prefix { $0 != UInt8(ascii: " ") }
            guard name.count <= 6 else { return nil }
            self.init(wire: String(Substring(name)).lowercased())
        }
    }

    private static func token(in fields: [String]) -> PresentedCredentials? {
        guard fields.count == 1, let field = fields.first, let scheme = Scheme(field) else {
            return nil
        }
        let token = field.utf8.dropFirst(scheme.rawValue.utf8.count).drop {
            $0 == UInt8(ascii: " ")
        }
        guard !token.isEmpty, token.count <= longest, token.allSatisfy(isTokenCharacter) else {
            return nil
        }
        let text = String(Substring(token))
        return scheme == .dpop ? .proven(text) : .bearer(text)
    }

    /// Two cookies with one name are an attack (WEB-COOKIE-7): one of them was planted, and it is
    /// unknown which. The result is then `nil`.
    private static func value(of name: String, in fields: HTTPFields) -> String? {
        var found: Substring?
        for field in fields[values: .cookie] {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0.isBlank }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                    pair[..<equals].elementsEqual(name.utf8)
                else { continue }
                guard found == nil else { return nil }
                found = Substring(pair[pair.index(after: equals)...])
            }
        }
        return found.flatMap { $0.utf8.count <= 4096 ? String($0) : nil }
    }

    /// RFC 6750 §2.1 and base64url: no character that could end a field or a cookie.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "+/=*".utf8.contains(byte)
    }
}

/// Judges the proofs of requests to a service (RFC 9449 §4.3).
struct PresentedProofs: Sendable {
    private let publicURL: String
    private let nonces: DPoPNonces?
    private let judge: DPoPJudge
    /// Only who has a token and its key adds to them.
    private let seen = SeenLately<Hash256>(capacity: 65_536)
    private let clock: Clock

    init(_ proofs: ProofsOfPossession, clock: Clock) {
        publicURL = proofs.publicURL
        nonces = proofs.nonces
        self.clock = clock
        var isGood: (@Sendable (String, Int64) -> Bool)?
        if let nonces = proofs.nonces { isGood = { nonces.isGood($0, at: $1) } }
        judge = DPoPJudge(nonce: isGood)
    }

    /// The nonce of answers, if proofs must have one.
    var nonce: String? { nonces?.current(at: clock.moment().seconds) }

    /// The proof of a request. What it proves is compared with the token, and then it is spent.
    func proof(of request: Request, with token: String) throws(OAuthError) -> DPoPProof {
        let path = request.head.path ?? "/"
        guard path.utf8.first == UInt8(ascii: "/") else { throw DPoPRefusal.target.error }
        let asked = DPoPJudge.Request(
            method: request.method,
            address: publicURL + path,
            token: token
        )
        let proof: DPoPProof?
        do throws(DPoPRefusal) {
            let proofs = request.headers[values: .dpop]
            proof = try judge(proofs, for: asked, at: clock.moment().seconds)
        } catch {
            throw error.error
        }
        guard let proof else {
            throw OAuthError(.invalidDPoPProof, "The request has no proof of possession.")
        }
        return proof
    }

    /// Uses a proof up. It is good once (§11.1).
    func spend(_ proof: DPoPProof) throws(OAuthError) {
        guard seen.isFirst(proof.replayKey) else {
            throw OAuthError(.invalidDPoPProof, "The proof was used before.")
        }
    }
}

/// How a service takes access tokens that are bound to a key: as `Authorization: DPoP`, with a proof
/// in the field `DPoP` that the sender has the key (RFC 9449 §7).
///
/// Such a token is refused as a Bearer token, and one that is not bound is refused with a proof. Each
/// process takes a proof once, for about three minutes after it was made.
public struct ProofsOfPossession: Sendable {
    /// Without a slash at its end.
    let publicURL: String
    let nonces: DPoPNonces?

    /// - Parameters:
    ///   - publicURL: The address of the service as clients know it: https, with the beginning of the
    ///     path that a proxy takes away, if any. A proof must name an address below it: neither the
    ///     field `Host` of a request nor a proxy decides (RFC 9449 §4.3).
    ///   - nonceKey: 32 secret bytes or more, the same in all processes of the service. Each proof
    ///     must then have a nonce that the service has given in the last three minutes, in the field
    ///     `DPoP-Nonce` of an answer (RFC 9449 §9): no proof can be made in advance. `nil`: no nonces.
    ///   - allowInsecureLoopback: Allows an `http` address on this machine.
    /// - Throws: misconfigured if that is no address, or the key is too short.
    public init(
        publicURL: String,
        nonceKey: [UInt8]? = nil,
        allowInsecureLoopback: Bool = false
    ) throws(SignInError) {
        let text = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        guard let address = HTTPAddress(text), address.query == nil,
            address.isSecure || allowInsecureLoopback && address.isThisMachine,
            nonceKey.map({ $0.count >= 32 }) ?? true
        else { throw SignInError(.misconfigured(.verificationInvalid)) }
        self.publicURL = text
        nonces = nonceKey.map { DPoPNonces(secret: $0) }
    }
}

extension ProofsOfPossession: CustomStringConvertible, CustomReflectable {
    /// Without the key.
    public var description: String { "ProofsOfPossession(\(publicURL))" }
    public var customMirror: Mirror { Mirror(self, children: ["publicURL": publicURL]) }
}
