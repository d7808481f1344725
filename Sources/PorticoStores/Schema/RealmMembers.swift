import PorticoBytes
package import PorticoProtocol

/// The settings of a realm, in the order of `portico realm show` and docs/configuration.md. Id, name and issuer stand
/// in columns of their own.
struct RealmMembers {
    private typealias Times = Realm.Lifetimes

    let displayName = Member(
        "display_name",
        .text("text"),
        at: \Realm.displayName,
        isRequired: true
    )
    .set(by: .administrator, "display-name", label: "Name")
    .help("The name on its pages.")
    let enabled = Member("enabled", .state, at: \Realm.isEnabled)
        .set(by: .administrator, "realm", label: "State")
        .help("Whether it is served at all.")
    let signingAlgorithm = Member("signing_algorithm", .choice, at: \Realm.signingAlgorithm)
        .set(by: .administrator, "signing-algorithm", label: "Algorithm")
        .help("Signs tokens, unless a client has its own.")
    let accessTokenType = Member("access_token_type", .choice, at: \Realm.accessTokenType)
        .set(by: .administrator, "access-token-type", label: "Access tokens")
        .help("The header typ of access tokens, unless a client has its own.")
    let signsInWithPassword = Member("sign_in_with_password", .flag, at: \Realm.signsInWithPassword)
        .set(by: .administrator, "sign-in-with-password", label: "Sign-in by password")
        .help("Whether people sign in with a password; if not, with identity providers only.")
    let signsInWithEmail = Member("sign_in_with_email", .flag, at: \Realm.signsInWithEmail)
        .set(by: .administrator, "sign-in-with-email", label: "Sign-in by email")
        .help("Whether people may type their email address in place of the username.")
    let allowsPasswordReset = Member("password_reset", .flag, at: \Realm.allowsPasswordReset)
        .set(by: .administrator, "password-reset", label: "Password reset")
        .help("Whether people may replace a forgotten password by mail.")
    let confirmsEmail = Member("confirm_email", .flag, at: \Realm.confirmsEmail)
        .set(by: .administrator, "confirm-email", label: "Confirms email")
        .help("Whether people confirm their email address before an app gets anything.")
    let allowsDeletion = Member("delete_account", .flag, at: \Realm.allowsDeletion)
        .set(by: .administrator, "delete-account", label: "Account deletion")
        .help("Whether people may delete their own account.")
    let registration = Member(
        "registration",
        .optional(.choice, or: "none"),
        at: \Realm.registration
    )
    .set(by: .administrator, "registration", label: "Registration")
    .help("How people make an account: with a username, with their email address, or none.")
    let signOutByHint = Member("sign_out_by_hint", .flag, at: \Realm.signsOutByHintAlone)
        .set(by: .administrator, "sign-out-by-hint", label: "Sign-out by hint")
        .help(
            "Whether an ID Token signs out without the browser's cookie, as Keycloak's apps expect."
        )
    let errorStyle = Member("error_style", .choice, at: \Realm.errorStyle)
        .set(by: .operator, "error-style", label: "Missing addresses")
        .help("How programs are told of a missing address: by a code, or by the phrase of HTTP.")
    // RFC 9700 §4.9.2, RFC 6750 §5.3: short.
    let token = Member(
        "access_token_lifetime",
        .seconds(Times.longestAccessToken),
        at: \Realm.lifetimes.accessToken
    )
    .set(by: .administrator, "access-token-lifetime", label: "Access token lives")
    .help("How long access tokens are valid, unless a client has its own time.")
    // RFC 6749 §4.1.2: ten minutes at most.
    let code = Member("code_lifetime", .seconds(10...10 * minute), at: \Realm.lifetimes.code)
        .set(by: .administrator, "code-lifetime", label: "Code lives")
        .help("How long an app has to redeem a code.")
    // RFC 9126 §2.2: between 5 and 600 seconds.
    let pushed = Member(
        "pushed_request_lifetime",
        .seconds(5...600),
        at: \Realm.lifetimes.pushedRequest
    )
    .set(by: .administrator, "pushed-request-lifetime", label: "Pushed request lives")
    .help("How long a pushed request can be used.")
    let sessionIdle = Member(
        "session_idle",
        .seconds(minute...365 * day),
        at: \Realm.lifetimes.sessionIdle
    )
    .set(by: .administrator, "session-idle", label: "Session unused")
    .help("How long people stay signed in to a browser that they do not use.")
    let sessionMaximum = Member(
        "session_maximum",
        .seconds(minute...365 * day),
        at: \Realm.lifetimes.sessionMaximum
    )
    .set(by: .administrator, "session-maximum", label: "Session at most")
    .help("How long people stay signed in to a browser at most.")
    let formerMaximum = Member(
        "former_session_maximum",
        .number,
        at: \Realm.lifetimes.formerSessionMaximum
    )
    let appIdle = Member(
        "stay_signed_in",
        .seconds(Times.longestUnused),
        at: \Realm.lifetimes.appIdle
    )
    .set(by: .administrator, "stay-signed-in", label: "Apps unused")
    .help("How long people stay signed in to an app without using it.")
    let offlineIdle = Member(
        "offline_idle",
        .seconds(Times.longestUnused),
        at: \Realm.lifetimes.offlineIdle
    )
    .set(by: .administrator, "offline-idle", label: "Offline unused")
    .help("How long an app with offline_access may leave its access unused.")
    let offlineMaximum = Member(
        "offline_maximum",
        .optional(.seconds(minute...3650 * day), or: "none"),
        at: \Realm.lifetimes.offlineMaximum
    )
    .set(by: .administrator, "offline-maximum", label: "Offline at most")
    .help("How long such access lasts at most.")
    // During this time, a thief and the owner can both use the token.
    let refreshGrace = Member(
        "refresh_grace",
        .seconds(0...5 * minute),
        at: \Realm.lifetimes.refreshGrace
    )
    .set(by: .administrator, "refresh-grace", label: "Refresh repeated")
    .help("How long an app may repeat a refresh whose answer it did not get.")
    let notBefore = Member("not_before", .number, at: \Realm.notBefore)
        .set(by: .administrator)
        .help("Tokens issued before are refused. Seconds since 1970.")
    let mappers = Member("mappers", .mappers, at: \Realm.mappers)
    let acrLevels = Member("acr_levels", .levels, at: \Realm.acrLevels)
        .set(by: .administrator, "acr-level", label: "Levels")
        .help("The name of a level of authentication (acr): gold=2.")
    let defaultLanguage = Member(
        "default_language",
        .optional(.text("language")),
        at: \Realm.defaultLanguage
    )
    .set(by: .administrator, "default-language", label: "Language")
    .help("The language of people whose browser prefers none that the pages have.")
    // Each period more is a code more that is right.
    let codeDrift = Member("code_drift", .number(0...10), at: \Realm.codeDrift)
        .set(by: .administrator, "code-drift", label: "Code drift")
        .help("How many periods the clock of an authenticator app may be wrong (RFC 6238 5.2).")
    let keepsSignIns = Member("sign_in_events", .flag, at: \Realm.events.keepsSignIns)
        .set(by: .administrator, "sign-in-events", label: "Sign-in events")
        .help("Whether what people and apps do is kept.")
    let eventKinds = Member("event_kinds", .eventKinds, at: \Realm.events.kinds)
        .set(by: .administrator, "event-kind", label: "Kinds of them")
        .help("Which of these events (docs/events.md); or all.")
    let eventLifetime = Member(
        "event_lifetime",
        .optional(.seconds(minute...3650 * day), or: "none"),
        at: \Realm.events.lifetime
    )
    .set(by: .administrator, "event-lifetime", label: "They live")
    .help("How long these events are kept at most.")
    let keepsAdministration = Member(
        "administration_events",
        .flag,
        at: \Realm.events.keepsAdministration
    )
    .set(by: .administrator, "administration-events", label: "Shows changes")
    .help(
        "Whether administrators are shown what other administrators changed, which is always kept."
    )
    let defaultRoles = Member("default_roles", .list(.role), at: \Realm.defaultRoles).inTables()
    let defaultGroupIDs = Member("default_groups", .list(.text("id")), at: \Realm.defaultGroupIDs)
        .inTables()
    let defaultClientScopes = Member(
        "default_client_scopes",
        .list(.text("scope")),
        at: \Realm.defaultClientScopes
    )
    .inTables()
    let optionalClientScopes = Member(
        "optional_client_scopes",
        .list(.text("scope")),
        at: \Realm.optionalClientScopes
    )
    .inTables()
    let kept = Member("kept", .kept, at: \Realm.kept)
    let tokenSwap = Member("token_swap", .optional(.tokenSwap), at: \Realm.tokenSwap)
    let takesDocuments = Member("apps_by_document", .toggle, at: \Realm.profile.takesDocuments)
        .set(by: .administrator, "apps-by-document", label: "Apps by document")
        .help(
            "Whether apps that are registered nowhere are taken from the document at their client_id."
        )
    let subject = Member("subject", .choice, at: \Realm.profile.subject)
    let tokenResource = Member(
        "token_resource",
        .optional(.text("url")),
        at: \Realm.profile.tokenResource
    )
    let scopeRule = Member("scope_rule", .choice, at: \Realm.profile.scopeRule)
    let endpoints = Member("endpoints", .choice, at: \Realm.profile.endpoints)
    let requiresProofs = Member("requires_proofs", .flag, at: \Realm.profile.requiresProofs)
    let assertions = Member("assertions", .choice, at: \Realm.profile.assertions)
    let bindsClientKeys = Member("binds_client_keys", .flag, at: \Realm.profile.bindsClientKeys)
    let spendsChallenges = Member("spends_challenges", .flag, at: \Realm.profile.spendsChallenges)
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

extension MemberForm where Value == RoleName {
    fileprivate static var role: Self { json(read: RoleName.init(value:), write: { $0.value }) }
}

extension MemberForm where Value == TokenSwap {
    fileprivate static var tokenSwap: Self {
        json(
            read: { try $0.object.map(TokenSwap.init(document:)) },
            write: { .object($0.document) }
        )
    }
}

extension MemberForm where Value == Set<Event.Kind>? {
    /// Kinds of events, or all.
    fileprivate static var eventKinds: Self {
        Self(
            shape: .texts("kind"),
            read: { json in
                guard let words = json.strings else { return nil }
                if words == ["all"] { return .some(nil) }
                let kinds = words.compactMap(Event.Kind.init(rawValue:))
                return kinds.count == words.count ? .some(Set(kinds)) : nil
            },
            write: { .texts($0.map { $0.map(\.rawValue).sorted() } ?? ["all"]) }
        )
    }
}
