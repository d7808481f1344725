import PorticoPages
import PorticoProtocol
import PorticoUpstream

/// The configured providers as buttons of pages.
struct ProviderWays: Sendable {
    let providers: [BackendDirectory.LiveProvider]

    init(_ directory: BackendDirectory) {
        providers = directory.providers
    }

    /// All of them in the operator's order.
    func all(lastUsed: String? = nil) -> [Way] {
        providers.map { way($0, lastUsed: lastUsed) }
    }

    /// Those of the given names, in the given order; one that is not configured any more is left
    /// out.
    func named(_ names: [String]) -> [Way] {
        names.compactMap { name in
            providers.first { $0.name == name }.map { way($0, lastUsed: nil) }
        }
    }

    func label(_ name: String) -> WayLabel? {
        providers.first { $0.name == name }?.label
    }

    /// What `error` and `reason` of an address say became of a sign-in (docs/decisions/0028). The
    /// provider is one of ours, or none.
    func problem(in query: FormParameters) -> ChooseWayPage.Problem? {
        query["error"].map { error in
            ChooseWayPage.Problem(
                error: error,
                reason: query["reason"],
                provider: query["provider"].flatMap(label)
            )
        }
    }

    /// What a page whose form leads to a provider permits (CSP `form-action`): Chromium applies it to
    /// the redirects that follow a post.
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

    private func way(_ provider: BackendDirectory.LiveProvider, lastUsed: String?) -> Way {
        Way(
            name: provider.name,
            label: provider.label,
            action: "/v1/auth/\(provider.name)",
            isLastUsed: provider.name == lastUsed,
            isNotResponding: provider.client.health.isDown
        )
    }
}

extension ProviderHealth {
    /// Since when it does not answer; seconds since 1970.
    var downSince: Int64? {
        if case .down(let since, _) = self { since } else { nil }
    }
}

extension BackendDirectory.LiveProvider {
    /// What people call it.
    var label: WayLabel {
        let kind: WayLabel.Kind =
            switch client.provider.kind {
            case .google: .google
            case .facebook: .facebook
            case .apple: .apple
            case .keycloak, .oidc: .generic
            }
        return WayLabel(kind: kind, displayName: client.provider.displayName)
    }
}
