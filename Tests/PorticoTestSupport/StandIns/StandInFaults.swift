package import Foundation
package import PorticoProtocol
package import PorticoStandIns

/// The faults of a stand-in, which tests change while it runs.
package struct StandInFaults: Sendable {
    /// 503 for everything.
    package var isDown = false
    /// 503 for these only.
    package var failing: Set<StandInEndpoint> = []
    /// How long what servers call waits before it answers.
    package var delay: Duration = .zero
    /// Sent to the redirect URI instead of a page: `server_error`.
    package var authorizationError: String?
    /// An existing session, with which it answers at once, whatever `prompt` and `max_age` require.
    package var oldSession: OldSession?
    package var tokenAnswer = TokenAnswer.right
    /// The faults of ID Tokens, of all other signed notices, and of
    /// ``ScriptedStandIns/identityToken(of:at:audience:nonce:changes:)``.
    package var idToken: [IDTokenFault] = []
    /// Set in the discovery document; `nil` removes the member.
    package var metadata: [String: JSONValue?] = [:]
    /// Set in UserInfo's or Graph's answer about the person; `nil` removes the member.
    package var profile: [String: JSONValue?] = [:]
    /// Apple's `user`, each time; `nil`: the person's name, the first time.
    package var appleUser: String?

    package init() {}

    /// An earlier session, and its `auth_time`.
    package struct OldSession: Sendable {
        let person: StandInPerson
        let began: Date

        package init(of person: StandInPerson, since began: Date) {
            self.person = person
            self.began = began
        }
    }

    /// The token endpoint's answer in place of a right one (attack E19).
    package enum TokenAnswer: Sendable {
        case right
        /// An OAuth error with this status.
        case refused(status: Int, code: String)
        /// An error with status 200, as Facebook and GitHub once sent it.
        case errorWithStatusOK(String)
        case redirect(to: String)
        case html
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
        /// `alg` is `none`, without a signature.
        case unsigned
        /// HMAC with the modulus of the public key (RFC 8725 §2.1).
        case symmetric
        /// Signed with a key that is not in the key set.
        case unpublishedKey
        /// Signed with another key, using the ID of the published one.
        case forged

        package static let wrongNonce = Self.claim("nonce", "another-nonce")
        package static let withoutAuthTime = Self.claim("auth_time", nil)
    }
}
