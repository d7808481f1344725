import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/identity-provider/instances`: other providers, kept as an import keeps them. Nothing here signs
/// people in by one; an export gives them back.
struct AdminIdentityProviders: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        let base = "identity-provider/instances"
        return [
            .get(base, .viewIdentityProviders, list),
            .post(base, .manageIdentityProviders, create),
            .get("\(base)/{provider}", .viewIdentityProviders) { call in
                .object(try json(try await part(call)))
            },
            .put("\(base)/{provider}", .manageIdentityProviders, update),
            .delete("\(base)/{provider}", .manageIdentityProviders, delete),
        ]
    }

    private static let kind = IdentityProviderRepresentation.kind
    /// As many as a realm may have.
    private static let most = 100

    private var store: RealmStore { administration.store }

    private func list(_ call: AdminCall) async throws -> AdminAnswer {
        let parts = try await store.parts(Self.kind, realmID: call.realmID)
        return .list(try parts.map(json))
    }

    private func create(_ call: AdminCall) async throws -> AdminAnswer {
        let representation = try call.representation(.identityProvider)
        guard let alias = try representation.text("alias"), alias.utf8.count <= 255 else {
            throw AdminRefusal.invalid("An alias has 1 to 255 bytes.")
        }
        let parts = try await store.parts(Self.kind, realmID: call.realmID)
        guard !parts.contains(where: { sameBytes($0.id, alias) }) else {
            throw AdminRefusal.conflict("Identity Provider \(alias) already exists")
        }
        guard parts.count < Self.most else {
            throw AdminRefusal.invalid("A realm has at most \(Self.most) identity providers.")
        }
        var object = representation.object
        object["internalId"] = .string(UniqueID(random: call.moment.random).text)
        if object["enabled"] == nil { object["enabled"] = true }
        try await put(object, alias: alias, call)
        return .created(path: call.path(alias))
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let former = try await part(call)
        let representation = try call.representation(.identityProvider)
        if let alias = try representation.text("alias"), !sameBytes(alias, former.id) {
            throw AdminRefusal.invalid("An identity provider keeps its alias.")
        }
        let secrets = RealmSecrets(ring: administration.ring, areShown: true)
        let kept = try IdentityProviderRepresentation(former, secrets: secrets).json
        var object = Self.unmasked(representation.object, by: kept)
        if let config = object.object("config") {
            object["config"] = .object(
                Self.unmasked(config, by: kept.object("config") ?? JSONObject())
            )
        }
        object["alias"] = .string(former.id)
        object["internalId"] = kept["internalId"]
        try await put(object, alias: former.id, call)
        return .done
    }

    private func delete(_ call: AdminCall) async throws -> AdminAnswer {
        let part = try await part(call)
        for mapper in try await store.parts("identityProviderMappers", realmID: call.realmID)
        where mapper.document.string("identityProviderAlias").map({ sameBytes($0, part.id) })
            ?? false
        {
            _ = try await store.deletePart(mapper.kind, id: mapper.id, realmID: call.realmID)
        }
        _ = try await store.deletePart(Self.kind, id: part.id, realmID: call.realmID)
        return .done
    }

    private func part(_ call: AdminCall) async throws -> RealmPart {
        let alias = try call.segment("provider")
        let parts = try await store.parts(Self.kind, realmID: call.realmID)
        guard let part = parts.first(where: { sameBytes($0.id, alias) }) else {
            throw AdminRefusal.noSuchAddress
        }
        return part
    }

    /// Secrets are masked, also for callers who may change it: nothing here needs them.
    private func json(_ part: RealmPart) throws -> JSONObject {
        let secrets = RealmSecrets(ring: administration.ring, areShown: false)
        var json = try IdentityProviderRepresentation(part, secrets: secrets).json
        if json["config"] == nil { json["config"] = [:] }
        if json["types"] == nil { json["types"] = [] }
        return json
    }

    /// What was shown masked stays as it is.
    private static func unmasked(_ object: JSONObject, by kept: JSONObject) -> JSONObject {
        var whole = JSONObject()
        for (name, value) in object {
            whole[name] = value == .string(RealmSecrets.mask) ? kept[name] : value
        }
        return whole
    }

    private func put(_ object: JSONObject, alias: String, _ call: AdminCall) async throws {
        let (document, secrets) = RealmPartSeal.parted(object)
        let sealed = RealmPartSeal(ring: administration.ring).seal(
            secrets,
            of: Self.kind,
            id: alias,
            realmID: call.realmID,
            random: call.moment.random
        )
        try await store.put(
            RealmPart(
                realmID: call.realmID,
                kind: Self.kind,
                id: alias,
                document: document,
                sealed: secrets.isEmpty ? nil : sealed
            )
        )
    }
}

extension AdminRight {
    fileprivate static let viewIdentityProviders = AdminRight(
        "view-identity-providers",
        "manage-identity-providers"
    )
    fileprivate static let manageIdentityProviders = AdminRight("manage-identity-providers")
}

extension RepresentationMembers {
    fileprivate static let identityProvider = RepresentationMembers(
        "IdentityProviderRepresentation",
        """
        alias displayName internalId providerId enabled updateProfileFirstLoginMode trustEmail
        storeToken addReadTokenRoleOnCreate authenticateByDefault linkOnly hideOnLogin
        firstBrokerLoginFlowAlias postBrokerLoginFlowAlias organizationId config types
        updateProfileFirstLogin
        """
    )
}
