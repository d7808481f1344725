package import PorticoProtocol

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What a stand-in does wrong. Tests change it while it runs.
package struct StandInFaults: Sendable {
    /// 503 for everything.
    package var isDown = false
    /// 503 for these only.
    package var failing: Set<StandInEndpoint> = []
    /// How long the endpoints that servers call wait before they answer.
    package var delay: Duration = .zero
    /// Sent to the redirect URI instead of a page: `server_error`.
    package var authorizationError: String?
    /// Somebody has a session, by which it answers at once, whatever `prompt` and `max_age` ask for.
    package var oldSession: OldSession?
    /// What is wrong with the authorization response.
    package var response: [ResponseFault] = []
    package var tokenAnswer = TokenAnswer.right
    /// What is wrong with ID Tokens, those of ``StandIns/identityToken(_:for:audience:)`` too.
    package var idToken: [IDTokenFault] = []
    /// Set in the document of discovery; `nil` takes the member away.
    package var metadata: [String: JSONValue?] = [:]
    /// Set in UserInfo's or Graph's answer about the person; `nil` takes the member away.
    package var profile: [String: JSONValue?] = [:]
    /// Graph says so of every token (code 190), UserInfo answers 401.
    package var refusesAccessTokens = false
    /// Graph's `debug_token` tells of other apps' tokens whose they are, instead of refusing.
    package var tellsForeignTokens = false
    package var appleUser = AppleUser.firstTime
    /// Apple's flags as `true` and not as `"true"`: both are seen (PRV-A-7).
    package var writesBooleans = false

    package init() {}

    /// A session from before, and how `auth_time` tells of it, where the provider tells it at all.
    package struct OldSession: Sendable {
        package let person: StandInPerson
        package let began: Date

        package init(of person: StandInPerson, since began: Date) {
            self.person = person
            self.began = began
        }
    }

    /// What can be wrong with an authorization response (RFC 6749 §4.1.2, RFC 9207 §2).
    package enum ResponseFault: Sendable {
        /// `nil` takes the parameter away.
        case parameter(String, String?)
        /// The parameter stands there twice, the second time with this value.
        case repeated(String, String)

        package static let withoutIssuer = Self.parameter("iss", nil)
        package static let withoutState = Self.parameter("state", nil)
        package static let codeBesideError = Self.parameter("error", "access_denied")
    }

    /// What the token endpoint answers (attack E19).
    package enum TokenAnswer: Sendable {
        case right
        /// An OAuth error with this status.
        case refused(status: Int, code: String)
        /// An error that says 200, as Facebook and GitHub once did.
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
        /// `nil` takes the member away.
        case member(String, JSONValue?)
    }

    /// What can be wrong with an ID Token (OpenID Connect Core §3.1.3.7).
    package enum IDTokenFault: Sendable {
        /// `nil` takes the claim away.
        case claim(String, JSONValue?)
        /// Issued two hours ago and expired an hour ago.
        case expired
        /// `alg` is `none`, and there is no signature.
        case unsigned
        /// HMAC with the modulus of the public key (RFC 8725 §2.1).
        case symmetric
        /// Signed with a key that is not in the key set.
        case unpublishedKey
        /// Signed with another key under the name of the published one.
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

    /// When Apple's `user` comes along.
    package enum AppleUser: Sendable {
        case firstTime
        case always
        /// This text, whatever it is, each time.
        case text(String)
    }
}
