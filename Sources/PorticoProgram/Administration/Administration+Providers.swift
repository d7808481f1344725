import PorticoATProtocol
import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoProvider
import PorticoSignIn
import PorticoStores
import PorticoUpstream
import PorticoWeb

/// What commands check and say of identity providers.
extension Administration {
    var registration: ProviderRegistration {
        ProviderRegistration(
            ring: installation.ring,
            allowsStandIns: allowsStandIns,
            rules: identityRules
        )
    }

    func addresses(of record: ProviderRecord, beside backend: BackendConfiguration)
        -> ProviderAddresses
    {
        let realm = realmList.first { sameBytes($0.id, record.realmID) }
        // A file's has the realm's address, even if the realm is the backend's.
        let isBackends = !record.isOfFile && backend.realm?.id == record.realmID
        return ProviderAddresses(record, publicURL: publicURL, in: isBackends ? nil : realm)
    }

    func addresses(of record: ProviderRecord) async throws -> ProviderAddresses {
        addresses(of: record, beside: try await backend())
    }

    /// Names under `.test` are hosts in a test network and in a demo only.
    var identityRules: IdentityRules {
        var rules = IdentityRules.production
        rules.allowsTest = installation.settings.testNetwork != nil
        let realm = realmList.first { $0.name == DemoHost.name }
        if allowsStandIns, let host = realm?.host { rules.admitDemo(at: host.origin) }
        return rules
    }

    /// People of a file have accounts at providers by name, and sign in by them once there is one of that
    /// name: it must be the same one.
    func expectSame(_ record: ProviderRecord, in realm: Realm) async throws {
        let parts = try await realms.parts("identityProviders", realmID: realm.id)
        if let former = parts.first(where: { sameBytes($0.id, record.name) })?.document {
            let kind = former.string("providerId") ?? ""
            let issuer = former.object("config")?.string("issuer")
            let isSame =
                ["oidc", "keycloak-oidc"].contains(kind)
                ? issuer.map { sameBytes($0, record.issuer ?? "") } ?? false
                : sameBytes(kind, record.kind)
            guard isSame else {
                throw Failure(
                    .refused,
                    "Realm \(realm.name) came with another provider named \(printable(record.name)) "
                        + "(\(printable(issuer ?? kind))).",
                    "People with an account there would be those of this one. Give it another name: "
                        + "--name NAME"
                )
            }
        }
        var query = PersonQuery()
        query.provider = record.name
        let count = try await people.count(query, realmID: realm.id)
        guard count > 0 else { return }
        console.say(
            "\(count == 1 ? "1 person has" : "\(count) people have") an account at a provider of that "
                + "name, and can sign in by it from now on."
        )
    }

    /// Whether the realm's file has one of that name.
    func hasOfFile(_ record: ProviderRecord) async throws -> Bool {
        try await partsOfProviders(record.realmID).contains { sameBytes($0.id, record.name) }
    }

    private func partsOfProviders(_ realmID: String) async throws -> [RealmPart] {
        try await realms.parts(IdentityProviderRepresentation.kind, realmID: realmID)
    }

    /// Removes a provider of a realm's file, with its mappers.
    func deleteOfFile(_ record: ProviderRecord) async throws -> Change {
        let parts = try await partsOfProviders(record.realmID)
        guard let part = parts.first(where: { sameBytes($0.id, record.name) }) else {
            return .notFound
        }
        let mappers = try await realms.parts(
            IdentityProviderRepresentation.mapperKind,
            realmID: record.realmID
        ).filter {
            $0.document.string("identityProviderAlias").map { sameBytes($0, part.id) } ?? false
        }
        try await changing { administration in
            for one in mappers + [part] {
                try await administration.delete(
                    one,
                    by: .commandLine,
                    needing: .manageIdentityProviders
                )
            }
        }
        return .changed
    }

    /// Changes a provider of a realm's file, which says the rest.
    func updateOfFile(
        _ record: ProviderRecord,
        secret: ProviderRegistration.Secret,
        isEnabled: Bool?,
        saysMore: Bool,
        _ words: [String]
    ) async throws {
        let name = record.name
        var text: SecretText?
        switch secret {
        case .given(let given): text = given
        case .unchanged, .later: break
        case .none:
            throw Failure(.usage, "Provider \(name) of the realm's file keeps a secret.")
        }
        guard !saysMore else {
            throw Failure(
                .usage,
                "Provider \(name) comes from the realm's file: only its secret, and whether it is enabled, "
                    + "can be changed here.",
                "Change the rest over admin REST, or register it: "
                    + portico("provider add --help")
            )
        }
        let parts = try await partsOfProviders(record.realmID)
        guard let part = parts.first(where: { sameBytes($0.id, name) }) else {
            throw Failure(.notFound, "Provider \(name) is gone.")
        }
        let changed = try FileProvider.changed(
            part,
            secret: text,
            isEnabled: isEnabled,
            ring: installation.ring,
            random: moment.random
        )
        guard text != nil || changed != part else { return console.say("Nothing changes.") }
        guard mayWrite("changed provider \(name)") else { return }
        try await changing {
            try await $0.put(changed, by: .commandLine, needing: .manageIdentityProviders)
        }
        let now = try await provider(name, in: realmList.first { $0.id == record.realmID }?.name)
        if case .file(let obstacle?) = now.source {
            console.warn("No one can sign in with \(name): \(obstacle).")
        }
        console.done(
            "Changed provider \(name). See it: \(portico("provider show \(words: [name] + words)"))"
        )
    }

    /// Warns of what is allowed but will not work, or not as before.
    func warn(
        of record: ProviderRecord,
        replacing former: ProviderRecord?,
        _ addresses: ProviderAddresses
    ) {
        if record.kind == HandleProvider.kind {
            // `try?`: it was read a moment ago.
            let provider = try? HandleProvider(record, identityRules)
            if provider.flatMap({ OwnClientDocument($0, at: publicURL, identityRules) }) == nil {
                console.warn(HandleProviderRefusal.publicAddress.description)
            }
            if provider?.isConfidential == false {
                console.warn(
                    "Hosts end sessions of a public client after 14 days. Leave out --public if people "
                        + "are to stay signed in for longer."
                )
            }
            return
        }
        // `try?`: it was read a moment ago.
        if let provider = try? IdentityProvider(record),
            !provider.permits(redirectURI: addresses.callback)
        {
            console.warn(
                "\(provider.displayName) takes https addresses with a domain name only. "
                    + "Set public-url to yours."
            )
        } else if installation.settledPublicURL == nil {
            console.warn("No public-url is set: these addresses work on this machine only.")
        }
        if let kind = addresses.kind, kind == .apple || kind == .facebook,
            !addresses.isOfRealm, record.name != kind.rawValue
        {
            console.warn(
                "The notices of a provider of kind \(kind.rawValue) arrive only where its name "
                    + "is \(kind.rawValue)."
            )
        }
        if let before = former?.issuer, let now = record.issuer, !sameBytes(before, now) {
            console.warn(
                "The issuer was \(printable(before)): people who signed in with it are not "
                    + "known at \(printable(now))."
            )
        }
    }
}
