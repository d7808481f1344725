import PorticoBytes
package import PorticoProtocol

/// The settings of a realm, in the order of `portico realm show` and docs/configuration.md. Id, name and issuer stand
/// in columns of their own.
struct RealmMembers {
    let displayName = Member<Realm>(
        "display_name",
        .text("text"),
        at: \.displayName,
        label: "Name",
        by: .administrator,
        option: "display-name",
        help: "The name on its pages.",
        isRequired: true
    )
    let enabled = Member<Realm>(
        "enabled",
        .state,
        at: \.isEnabled,
        label: "State",
        by: .administrator,
        option: "realm",
        help: "Whether it is served at all."
    )
    let signingAlgorithm = Member<Realm>(
        "signing_algorithm",
        .choice,
        at: \.signingAlgorithm,
        label: "Algorithm",
        by: .administrator,
        help: "Signs tokens, unless a client has its own."
    )
    let accessTokenType = Member<Realm>(
        "access_token_type",
        .choice,
        at: \.accessTokenType,
        label: "Access tokens",
        by: .administrator,
        option: "access-token-type",
        help: "The header typ of access tokens, unless a client has its own."
    )
    let signsInWithEmail = Member<Realm>(
        "sign_in_with_email",
        .flag,
        at: \.signsInWithEmail,
        label: "Sign-in by email",
        by: .administrator,
        option: "sign-in-with-email",
        help: "Whether people may type their email address in place of the username."
    )
    let allowsPasswordReset = Member<Realm>(
        "password_reset",
        .flag,
        at: \.allowsPasswordReset,
        label: "Password reset",
        by: .administrator,
        option: "password-reset",
        help: "Whether people may replace a forgotten password by mail."
    )
    let confirmsEmail = Member<Realm>(
        "confirm_email",
        .flag,
        at: \.confirmsEmail,
        label: "Confirms email",
        by: .administrator,
        option: "confirm-email",
        help: "Whether people confirm their email address before an app gets anything."
    )
    let registration = Member<Realm>(
        "registration",
        .optional(.choice, or: "none"),
        at: \.registration,
        label: "Registration",
        by: .administrator,
        option: "registration",
        help: "How people make an account: with a username, with their email address, or none."
    )
    let signsOutByHintAlone = Member<Realm>(
        "sign_out_by_hint",
        .flag,
        at: \.signsOutByHintAlone,
        label: "Sign-out by hint",
        by: .administrator,
        option: "sign-out-by-hint",
        help:
            "Whether an ID Token signs out without the browser's cookie, as Keycloak's apps expect."
    )
    let errorStyle = Member<Realm>(
        "error_style",
        .choice,
        at: \.errorStyle,
        label: "Missing addresses",
        by: .operator,
        option: "error-style",
        help: "How programs are told of a missing address: by a code, or by the phrase of HTTP."
    )
    let accessToken = Member<Realm>(
        "access_token_lifetime",
        // RFC 9700 §4.9.2, RFC 6750 §5.3: short.
        .seconds(Realm.Lifetimes.longestAccessToken),
        at: \.lifetimes.accessToken,
        label: "Access token lives",
        by: .administrator,
        option: "access-token-lifetime",
        help: "How long access tokens are valid, unless a client has its own time."
    )
    let code = Member<Realm>(
        "code_lifetime",
        // RFC 6749 §4.1.2: ten minutes at most.
        .seconds(10...10 * minute),
        at: \.lifetimes.code,
        label: "Code lives",
        by: .administrator,
        option: "code-lifetime",
        help: "How long an app has to redeem a code."
    )
    let pushedRequest = Member<Realm>(
        "pushed_request_lifetime",
        // RFC 9126 §2.2: between 5 and 600 seconds.
        .seconds(5...10 * minute),
        at: \.lifetimes.pushedRequest,
        label: "Pushed request lives",
        by: .administrator,
        option: "pushed-request-lifetime",
        help: "How long a pushed request can be used."
    )
    let sessionIdle = Member<Realm>(
        "session_idle",
        .seconds(minute...365 * day),
        at: \.lifetimes.sessionIdle,
        label: "Session unused",
        by: .administrator,
        option: "session-idle",
        help: "How long people stay signed in to a browser that they do not use."
    )
    let sessionMaximum = Member<Realm>(
        "session_maximum",
        .seconds(minute...365 * day),
        at: \.lifetimes.sessionMaximum,
        label: "Session at most",
        by: .administrator,
        option: "session-maximum",
        help: "How long people stay signed in to a browser at most."
    )
    let formerSessionMaximum = Member<Realm>(
        "former_session_maximum",
        .number,
        at: \.lifetimes.formerSessionMaximum
    )
    let appIdle = Member<Realm>(
        "stay_signed_in",
        .seconds(Realm.Lifetimes.longestUnused),
        at: \.lifetimes.appIdle,
        label: "Apps unused",
        by: .administrator,
        option: "stay-signed-in",
        help: "How long people stay signed in to an app without using it."
    )
    let offlineIdle = Member<Realm>(
        "offline_idle",
        .seconds(Realm.Lifetimes.longestUnused),
        at: \.lifetimes.offlineIdle,
        label: "Offline unused",
        by: .administrator,
        option: "offline-idle",
        help: "How long an app with offline_access may leave its access unused."
    )
    let offlineMaximum = Member<Realm>(
        "offline_maximum",
        .optional(.seconds(minute...3650 * day), or: "none"),
        at: \.lifetimes.offlineMaximum,
        label: "Offline at most",
        by: .administrator,
        option: "offline-maximum",
        help: "How long such access lasts at most."
    )
    let refreshGrace = Member<Realm>(
        "refresh_grace",
        // During this time, a thief and the owner can both use the token.
        .seconds(0...5 * minute),
        at: \.lifetimes.refreshGrace,
        label: "Refresh repeated",
        by: .administrator,
        option: "refresh-grace",
        help: "How long an app may repeat a refresh whose answer it did not get."
    )
    let notBefore = Member<Realm>(
        "not_before",
        .number,
        at: \.notBefore,
        by: .administrator,
        help: "Tokens issued before are refused. Seconds since 1970."
    )
    let mappers = Member<Realm>("mappers", .mappers, at: \.mappers)
    let acrLevels = Member<Realm>(
        "acr_levels",
        .levels,
        at: \.acrLevels,
        by: .administrator,
        help: "The names of levels of authentication (acr)."
    )
    let defaultLanguage = Member<Realm>(
        "default_language",
        .optional(.text("language")),
        at: \.defaultLanguage,
        label: "Language",
        by: .administrator,
        help: "The language of people whose browser prefers none that the pages have."
    )
    let codeDrift = Member<Realm>(
        "code_drift",
        .number,
        at: \.codeDrift,
        by: .administrator,
        help: "How many periods the clock of an authenticator app may be wrong (RFC 6238 5.2)."
    )
    let events = Member<Realm>(
        "events",
        .json(
            read: { try $0.object.map(Realm.EventPolicy.init(document:)) },
            write: { .object($0.document) }
        ),
        at: \.events,
        by: .administrator,
        help: "Which events are kept."
    )
    let defaultRoles = Member<Realm>(
        "default_roles",
        .list(.json(read: RoleName.init(value:), write: { $0.value })),
        at: \.defaultRoles
    )
    let defaultGroupIDs = Member<Realm>(
        "default_groups",
        .list(.text("id")),
        at: \.defaultGroupIDs
    )
    let kept = Member<Realm>("kept", .kept, at: \.kept)
    let tokenSwap = Member<Realm>(
        "token_swap",
        .optional(
            .json(
                read: { try $0.object.map(TokenSwap.init(document:)) },
                write: { .object($0.document) }
            )
        ),
        at: \.tokenSwap
    )
    let atProtocol = Member<Realm>(
        "atproto",
        .optional(
            .json(
                read: { $0.object?.string("resource").map(ATProtocolRealm.init(resource:)) },
                write: { ["resource": .string($0.resource)] }
            )
        ),
        at: \.atProtocol
    )
}

private let minute: Int64 = 60
private let day: Int64 = 86_400

extension Realm: MemberOwner {
    package static let members: [Member<Realm>] = members(of: RealmMembers())

    package static var blank: Realm { Realm(id: "", name: "", displayName: "", issuer: "") }

    package init(id: String, name: String, issuer: String, document: JSONObject) throws {
        self.init(id: id, name: name, displayName: "", issuer: issuer)
        try read(document)
    }
}

extension Realm.Lifetimes {
    /// A longer access token could not be revoked in time.
    package static let longestAccessToken: ClosedRange<Int64> = 10...day

    /// How long a person may stay signed in to an app without using it.
    package static let longestUnused: ClosedRange<Int64> = minute...3650 * day

    /// These, with each lifetime limited to its bounds.
    package var withinBounds: Self {
        var realm = Realm.blank
        realm.lifetimes = self
        for member in Realm.members { member.bound(&realm) }
        return realm.lifetimes
    }
}

extension Realm.EventPolicy {
    fileprivate init(document: JSONObject) throws {
        let document = Document(document)
        self.init()
        keepsSignIns = try document.required("sign_ins", \.bool)
        kinds = Set(try document.required("kinds", \.strings))
        keepsAdministration = try document.required("administration", \.bool)
        lifetime = try document.optional("lifetime", \.int64)
    }

    fileprivate var document: JSONObject {
        var document: JSONObject = [
            "sign_ins": .bool(keepsSignIns), "kinds": .texts(kinds.sorted()),
            "administration": .bool(keepsAdministration),
        ]
        document["lifetime"] = lifetime.map(JSONValue.integer)
        return document
    }
}
