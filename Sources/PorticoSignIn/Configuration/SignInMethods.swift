package import PorticoPages
package import PorticoProtocol
import PorticoStores
import PorticoUpstream

/// The configured providers as buttons of pages.
package struct SignInMethods: Sendable {
    let providers: [ProviderDirectory.LiveProvider]
    private let handles: HandleDirectory.Live?
    private let place: SignInPlace

    package init(_ directory: ProviderDirectory) {
        providers = directory.providers
        handles = directory.handles
        place = directory.place
    }

    /// Those of a realm that is not the backend's.
    init(_ directory: ProviderDirectory, of realmID: String, named name: String) {
        providers = directory.providers(of: realmID)
        handles = nil
        place = .realm(id: realmID, name: name)
    }

    /// All providers, in the operator's order. One without a button says so.
    package func all(lastUsed: String? = nil) -> [SignInMethod] {
        guard let handles else { return providers.map { way($0, lastUsed: lastUsed) } }
        let before = providers.prefix { $0.record.isBefore(handles.record) }
        return before.map { way($0, lastUsed: lastUsed) } + [byHandle(lastUsed: lastUsed)]
            + providers.dropFirst(before.count).map { way($0, lastUsed: lastUsed) }
    }

    /// The providers with the given names, in that order; one that is no longer configured is left
    /// out.
    func named(_ names: [String]) -> [SignInMethod] {
        names.compactMap { name in
            if let provider = providers.first(where: { $0.name == name }) {
                return way(provider, lastUsed: nil)
            }
            return name == HandleProvider.kind && handles != nil ? byHandle(lastUsed: nil) : nil
        }
    }

    package func label(_ name: String) -> MethodLabel? {
        named([name]).first?.label
    }

    /// The outcome of a sign-in in the `error` and `reason` of an address (docs/decisions/0028).
    /// The provider must be one of ours, or absent.
    package func problem(in query: FormParameters) -> ChooseMethodPage.Problem? {
        query["error"].map { error in
            ChooseMethodPage.Problem(
                error: error,
                reason: query["reason"],
                provider: query["provider"].flatMap(label)
            )
        }
    }

    private func byHandle(lastUsed: String?) -> SignInMethod {
        SignInMethod(
            name: HandleProvider.kind,
            label: .handle,
            action: place.start(at: HandleProvider.kind),
            isLastUsed: lastUsed == HandleProvider.kind
        )
    }

    private func way(_ provider: ProviderDirectory.LiveProvider, lastUsed: String?) -> SignInMethod
    {
        SignInMethod(
            name: provider.name,
            label: provider.label,
            action: place.start(at: provider.name),
            isLastUsed: provider.name == lastUsed,
            isNotResponding: provider.client.health.isDown,
            isHidden: provider.record.isHidden
        )
    }
}

extension ProviderRecord {
    fileprivate func isBefore(_ other: ProviderRecord) -> Bool {
        (place, name) < (other.place, other.name)
    }
}

extension ProviderHealth {
    /// When it stopped answering; seconds since 1970.
    var downSince: Int64? {
        if case .down(let since, _) = self { since } else { nil }
    }
}

extension ProviderDirectory.LiveProvider {
    /// Its name for people.
    var label: MethodLabel {
        let kind: MethodLabel.Kind =
            switch client.provider.kind {
            case .google: .google
            case .facebook: .facebook
            case .apple: .apple
            case .keycloak, .oidc: .generic
            }
        return MethodLabel(kind: kind, displayName: client.provider.displayName)
    }
}
