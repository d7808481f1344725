import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// The credentials that a request presents for a client (RFC 6749 §2.3, RFC 7523 §2.2), not checked
/// yet.
enum PresentedCredentials: Sendable {
    /// `client_id` alone, or nothing.
    case none(clientID: String?)
    case basic(clientID: String, secret: SecretText)
    case post(clientID: String, secret: SecretText)
    case assertion(clientID: String?, assertion: String)

    /// - Parameters:
    ///   - authorization: The values of all `Authorization` header fields.
    ///   - takesBoth: Whether the client of that `client_id` may send its secret twice, in the header
    ///     and in the body.
    /// - Throws: `invalid_request` if more than one method is used (RFC 6749 §2.3),
    ///   `invalid_client` if the header cannot be read.
    init(
        authorization: [String],
        form: FormParameters,
        takesBoth: (String) async throws -> Bool
    ) async throws {
        try form.refuseRepeats()
        guard authorization.count <= 1 else {
            throw OAuthError(.invalidRequest, "There is more than one Authorization header.")
        }
        let clientID = form["client_id"]
        let secret = form["client_secret"].map(SecretText.init)
        let assertion = try Self.assertion(form)
        let methods = [!authorization.isEmpty, secret != nil, assertion != nil]
        if assertion == nil, let header = authorization.first, let secret {
            self = try await Self.both(header, secret, clientID, takesBoth)
            return
        }
        guard methods.count(where: { $0 }) <= 1 else {
            throw Self.severalMethods
        }
        if let header = authorization.first {
            self = try Self.basic(header, clientID)
        } else if let secret {
            guard let clientID else {
                throw OAuthError(.invalidRequest, "client_secret comes without client_id.")
            }
            self = .post(clientID: clientID, secret: secret)
        } else if let assertion {
            self = .assertion(clientID: clientID, assertion: assertion)
        } else {
            self = .none(clientID: clientID)
        }
    }

    private static let severalMethods = OAuthError(
        .invalidRequest,
        "More than one way of client authentication is used."
    )

    /// One secret, sent twice (``Compatibility/repeatedSecret``).
    private static func both(
        _ header: String,
        _ secret: SecretText,
        _ clientID: String?,
        _ takesBoth: (String) async throws -> Bool
    ) async throws -> PresentedCredentials {
        let basic = try Self.basic(header, clientID)
        guard case .basic(let user, let password) = basic, try await takesBoth(user),
            ConstantTime.equal(Array(password.reveal().utf8), Array(secret.reveal().utf8))
        else { throw severalMethods }
        return basic
    }

    /// RFC 7523 §2.2.
    private static func assertion(_ form: FormParameters) throws(OAuthError) -> String? {
        guard let assertion = form["client_assertion"] else {
            guard form["client_assertion_type"] == nil else {
                throw OAuthError(.invalidRequest, "client_assertion is missing.")
            }
            return nil
        }
        guard
            form["client_assertion_type"]
                == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        else {
            throw OAuthError(.invalidClient, "client_assertion_type is not jwt-bearer.")
        }
        return assertion
    }

    /// RFC 6749 §2.3.1: user and password are form-encoded before they are joined and encoded.
    private static func basic(_ header: String, _ clientID: String?) throws(OAuthError)
        -> PresentedCredentials
    {
        guard header.utf8.count <= 4096,
            let credentials = AuthorizationField(header)?.credentials(of: "basic")
        else {
            throw OAuthError(.invalidClient, "The Authorization header is not of scheme Basic.")
        }
        guard let pair = Base64.decode(Array(credentials.utf8)),
            let colon = pair.firstIndex(of: UInt8(ascii: ":")),
            let user = FormEncoding.decode(pair[..<colon]), !user.isEmpty,
            let password = FormEncoding.decode(pair[(colon + 1)...])
        else {
            throw OAuthError(.invalidClient, "The Basic credentials cannot be read.")
        }
        guard clientID.map({ sameBytes($0, user) }) ?? true else {
            throw OAuthError(.invalidRequest, "client_id is not that of the Authorization header.")
        }
        return .basic(clientID: user, secret: SecretText(password))
    }

    /// The client that the request claims to come from, before anything is proven.
    var claimedClientID: String? {
        switch self {
        case .none(let clientID), .assertion(let clientID, _): clientID
        case .basic(let clientID, _), .post(let clientID, _): clientID
        }
    }

    /// The client that an assertion names, where the request does not.
    var assertedClientID: String? {
        guard case .assertion(_, let text) = self else { return nil }
        return ClientAssertion(text).claimedClientID
    }

    /// Whether it is a secret that is short enough to guess: shorter than 16 bytes. Secrets that we
    /// make have 43. An empty one matches no client.
    var isGuessable: Bool {
        switch self {
        case .none, .assertion: false
        case .basic(_, let secret), .post(_, let secret):
            (1..<16).contains(secret.reveal().utf8.count)
        }
    }

    var usesAuthorizationHeader: Bool {
        if case .basic = self { true } else { false }
    }
}
