extension Event {
    /// What happened. A word never changes; docs/events.md explains each.
    package enum Kind: String, CaseIterable, Sendable {
        // Signing in and out.
        case signedIn = "sign_in.ok"
        case signInFailed = "sign_in.failed"
        case signInBlocked = "sign_in.blocked"
        case signInCancelled = "sign_in.cancelled"
        case secondStepFailed = "sign_in.second_step_failed"
        case proven = "sign_in.proven"
        case signedOut = "sign_out"
        case signedOutElsewhere = "sign_out.elsewhere"
        case signedOutEverywhere = "sign_out.everywhere"
        case signedOutByProvider = "sign_out.provider"
        case handOffRedeemed = "hand_off.redeemed"
        case handOffRefused = "hand_off.refused"
        case handleFailed = "handle.failed"
        case handleAgain = "handle.again"
        case handleRefreshed = "handle.refreshed"
        case handleEnded = "handle.ended_by_host"
        case handleRevoked = "handle.revoked"
        case sessionImported = "session.imported"
        case providerFailed = "provider.failed"
        case logoutTokenRefused = "logout_token.refused"
        case logoutDelivered = "logout.delivered"
        case logoutFailed = "logout.failed"
        case logoutGivenUp = "logout.given_up"

        // People and accounts.
        case registrationAsked = "registration.asked"
        case registrationDone = "registration.ok"
        case passwordResetAsked = "password.reset_asked"
        case passwordReset = "password.reset"
        case passwordChanged = "password.changed"
        case secondFactorAdded = "second_factor.added"
        case secondFactorRemoved = "second_factor.removed"
        case recoveryCodesMade = "second_factor.codes_made"
        case emailConfirmed = "email.confirmed"
        case emailLost = "email.lost"
        case wayAdded = "way.added"
        case wayRemoved = "way.removed"
        case registered = "account.registered"
        case accountClaimed = "account.claimed"
        case accountsMatch = "accounts.same_address"
        case deleted = "account.deleted"

        // Clients and tokens.
        case clientRefused = "client.refused"
        case consented = "consent.given"
        case consentRemoved = "consent.removed"
        case tokenRevoked = "token.revoked"
        case tokenTooLong = "token.too_long"
        case oldTokenRevoked = "token.old_revoked"
        case codeReplayed = "code.replayed"
        case refreshReplayed = "refresh.replayed"
        case subjectTokenReplayed = "subject_token.replayed"
        case loginTokenMade = "login_token.made"
        case loginTokenUsed = "login_token.used"
        case deviceSecretExchanged = "device_secret.exchanged"
        case swapped = "token_swap.ok"
        case swapRepeated = "token_swap.repeated"
        case swapRefused = "token_swap.refused"
        case swapReplayed = "token_swap.replayed"
        case assertionForEndpoint = "assertion.for_endpoint"
        case challengeRepeated = "challenge.repeated"
        case scopeLeftOut = "scope.left_out"
        case documentFetched = "client_document.fetched"
        case documentRefused = "client_document.refused"

        // Keys.
        case keyPublished = "key.published"
        case keyBroughtForward = "key.brought_forward"
        case keyRemoved = "key.removed"
        case handleKeyAdded = "handle_key.added"
        case handleKeyWithdrawn = "handle_key.withdrawn"

        // What administrators do.
        case realmCreated = "realm.created"
        case realmUpdated = "realm.updated"
        case realmDeleted = "realm.deleted"
        case realmAction = "realm.action"
        case clientCreated = "client.created"
        case clientUpdated = "client.updated"
        case clientDeleted = "client.deleted"
        case clientAction = "client.action"
        case clientScopeUpdated = "client_scope.updated"
        case clientScopeDeleted = "client_scope.deleted"
        case scopeCreated = "scope.created"
        case scopeUpdated = "scope.updated"
        case scopeDeleted = "scope.deleted"
        case mapperCreated = "mapper.created"
        case mapperUpdated = "mapper.updated"
        case mapperDeleted = "mapper.deleted"
        case roleCreated = "role.created"
        case roleUpdated = "role.updated"
        case roleDeleted = "role.deleted"
        case rolePartCreated = "role_part.created"
        case rolePartDeleted = "role_part.deleted"
        case roleMappingCreated = "role_mapping.created"
        case roleMappingDeleted = "role_mapping.deleted"
        case groupCreated = "group.created"
        case groupUpdated = "group.updated"
        case groupDeleted = "group.deleted"
        case defaultGroupUpdated = "default_group.updated"
        case defaultGroupDeleted = "default_group.deleted"
        case membershipUpdated = "membership.updated"
        case membershipDeleted = "membership.deleted"
        case personCreated = "person.created"
        case personUpdated = "person.updated"
        case personDeleted = "person.deleted"
        case personAction = "person.action"
        case credentialUpdated = "credential.updated"
        case credentialDeleted = "credential.deleted"
        case consentDeleted = "consent.deleted"
        case identityCreated = "identity.created"
        case identityDeleted = "identity.deleted"
        case identityProviderCreated = "identity_provider.created"
        case identityProviderUpdated = "identity_provider.updated"
        case identityProviderDeleted = "identity_provider.deleted"
        case keyCreated = "key.created"
        case keyUpdated = "key.updated"
        case sessionDeleted = "session.deleted"
        case lockoutDeleted = "lockout.deleted"
        case settingCreated = "setting.created"
        case settingUpdated = "setting.updated"
        case settingDeleted = "setting.deleted"
        case eventsDeleted = "events.deleted"
        case adminEventsHidden = "admin_events.hidden"
    }
}

extension Event.Kind {
    /// Whether someone who is not known causes it, or anyone as often as they like: these are bounded
    /// wherever they are kept.
    package var isAnyones: Bool {
        switch self {
        case .signInFailed, .secondStepFailed, .passwordResetAsked, .clientRefused, .tokenRevoked,
            .codeReplayed, .refreshReplayed, .swapRepeated, .swapRefused, .swapReplayed:
            true
        default: false
        }
    }

    /// Whether a realm keeps it whatever its policy says: its operator has to see it.
    package var isOperators: Bool {
        switch self {
        case .clientRefused, .swapped, .swapRepeated, .swapRefused, .swapReplayed: true
        default: false
        }
    }

    /// Whether it is a line of the log and nothing more.
    package var isOnlyLogged: Bool {
        switch self {
        case .signInCancelled, .signedOutElsewhere, .handleFailed, .handleAgain, .providerFailed,
            .logoutTokenRefused, .logoutDelivered, .logoutFailed, .logoutGivenUp,
            .registrationAsked, .recoveryCodesMade, .accountsMatch, .tokenTooLong,
            .oldTokenRevoked, .subjectTokenReplayed, .loginTokenMade, .loginTokenUsed,
            .deviceSecretExchanged, .assertionForEndpoint, .challengeRepeated, .scopeLeftOut,
            .documentFetched, .documentRefused, .keyPublished, .keyBroughtForward, .keyRemoved:
            true
        default: false
        }
    }
}
