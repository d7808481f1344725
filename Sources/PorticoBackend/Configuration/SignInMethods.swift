import PorticoPages
import PorticoProtocol
import PorticoUpstream

/// The configured providers as buttons of pages.
struct SignInMethods: Sendable {
    let providers: [BackendDirectory.LiveProvider]

    init(_ directory: BackendDirectory) {
        providers = directory.providers
    }

    /// All providers, in the operator's order.
    func all(lastUsed: String? = nil) -> [SignInMethod] {
        providers.map { way($0, lastUsed: lastUsed) }
    }

    /// The providers with the given names, in that order; one that is no longer configured is left
    /// out.
    func named(_ names: [String]) -> [SignInMethod] {
        names.compactMap { name in
            providers.first { $0.name == name }.map { way($0, lastUsed: nil) }
        }
    }

    func label(_ name: String) -> MethodLabel? {
        providers.first { $0.name == name }?.label
    }

    /// The outcome of a sign-in in the `error` and `reason` of an address (docs/decisions/0028).
    /// The provider must be one of ours, or absent.
    func problem(in query: FormParameters) -> ChooseMethodPage.Problem? {
        query["error"].map { error in
            ChooseMethodPage.Problem(
                error: error,
                reason: query["reason"],
                provider: query["provider"].flatMap(label)
            )
        }
    }

    /// The sources for a page with a form that leads to a provider (CSP `form-action`): Chromium
    /// applies it to the redirects that follow a post.
    var formActions: [String] {
        var sources: [String] = []
        for provider in providers {
            for source in provider.client.provider.navigationSources where !sources.contains(source)
            {
                sources.append(source)
            }
        }
        return sources
    }

    private func way(_ provider: BackendDirectory.LiveProvider, lastUsed: String?) -> SignInMethod {
        SignInMethod(
            name: provider.name,
            label: provider.label,
            action: "/v1/auth/\(provider.name)",
            isLastUsed: provider.name == lastUsed,
            isNotResponding: provider.client.health.isDown
        )
    }
}

extension ProviderHealth {
    /// When it stopped answering; seconds since 1970.
    var downSince: Int64? {
        if case .down(let since, _) = self { since } else { nil }
    }
}

extension BackendDirectory.LiveProvider {
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
