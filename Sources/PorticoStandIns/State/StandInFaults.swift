package import PorticoProtocol
package import PorticoSystem

/// The faults of a stand-in. Tests change them while it runs.
package struct StandInFaults: Sendable {
    /// 503 for everything.
    package var isDown = false
    /// 503 for these only.
    package var failing: Set<StandInEndpoint> = []
    /// How long the endpoints for servers wait before they answer.
    package var delay: Duration = .zero
    /// Sent to the redirect URI instead of a page: `server_error`.
    package var authorizationError: String?
    /// An existing session, with which it answers at once, whatever `prompt` and `max_age` require.
    package var oldSession: OldSession?
    /// The faults of the authorization response.
    package var response: [ResponseFault] = []
    package var tokenAnswer = TokenAnswer.right
    /// The faults of ID Tokens, including those of ``StandIns/identityToken(_:for:audience:)``.
    package var idToken: [IDTokenFault] = []
    /// Set in the discovery document; `nil` removes the member.
    package var metadata: [String: JSONValue?] = [:]
    /// Set in UserInfo's or Graph's answer about the person; `nil` removes the member.
    package var profile: [String: JSONValue?] = [:]
    /// Graph refuses every token (code 190), UserInfo answers 401.
    package var refusesAccessTokens = false
    /// Graph's `debug_token` reveals the owner of other apps' tokens, instead of refusing.
    package var tellsForeignTokens = false
    package var appleUser = AppleUser.firstTime
    /// Apple's flags as `true` and not as `"true"`: both are seen (PRV-A-7).
    package var writesBooleans = false

    package init() {}

    /// An earlier session, and its `auth_time`, if the provider returns it at all.
    package struct OldSession: Sendable {
        package let person: StandInPerson
        package let began: Date

        package init(of person: StandInPerson, since began: Date) {
            self.person = person
            self.began = began
        }
    }

    /// A fault of an authorization response (RFC 6749 §4.1.2, RFC 9207 §2).
    package enum ResponseFault: Sendable {
        /// `nil` removes the parameter.
        case parameter(String, String?)
        /// The parameter is repeated, the second time with this value.
        case repeated(String, String)

        package static let withoutIssuer = Self.parameter("iss", nil)
        package static let withoutState = Self.parameter("state", nil)
        package static let codeBesideError = Self.parameter("error", "access_denied")
    }

    /// The token endpoint's answer (attack E19).
    package enum TokenAnswer: Sendable {
        case right
        /// An OAuth error with this status.
        case refused(status: Int, code: String)
        /// An error with status 200, as Facebook and GitHub once sent it.
        case errorWithStatusOK(String)
        case redirect(to: String)
        case html
        /// This many bytes of JSON.
        case huge(bytes: Int)
        case invalidUTF8
        /// `access_token` twice.
        case repeatedMember
        /// Half of it.
        case truncated
        /// Each of these is set; `nil` removes the member.
        case members([String: JSONValue?])

        package static func member(_ name: String, _ value: JSONValue?) -> Self {
            .members([name: value])
        }
    }

    /// A fault of an ID Token (OpenID Connect Core §3.1.3.7).
    package enum IDTokenFault: Sendable {
        /// `nil` removes the claim.
        case claim(String, JSONValue?)
        /// Issued two hours ago and expired an hour ago.
        case expired
        /// `alg` is `none`, without a signature.
        case unsigned
        /// HMAC with the modulus of the public key (RFC 8725 §2.1).
        case symmetric
        /// Signed with a key that is not in the key set.
        case unpublishedKey
        /// Signed with another key, using the ID of the published one.
        case forged
        /// The token answer has none.
        case absent

        package static let wrongNonce = Self.claim("nonce", "another-nonce")
        package static let wrongAudience = Self.claim("aud", "another-client")
        package static let withoutAuthTime = Self.claim("auth_time", nil)
        package static let withoutEmail = Self.claim("email", nil)
        package static let emailUnverified = Self.claim("email_verified", false)
        package static let withoutHostedDomain = Self.claim("hd", nil)
    }

    /// When Apple's `user` is sent.
    package enum AppleUser: Sendable {
        case firstTime
        case always
        /// Any text, each time.
        case text(String)
    }
}
