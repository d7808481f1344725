import HTTPTypes
import Portico
import PorticoATProtocol
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSignIn
import PorticoStores
import PorticoUpstream

/// Checks one identity provider as the server would use it: settings, secret, metadata, keys. Only
/// a sign-in can show whether the provider accepts the client id and the secret.
struct ProviderCheck {
    let administration: Administration
    let record: ProviderRecord
    let addresses: ProviderAddresses

    struct Report {
        var findings: [Finding] = []
        var health = ProviderHealth.unknown
        /// Whether the server could use it at all.
        var isUsable = true
    }

    /// - Parameter transport: `nil`: without the network.
    func callAsFunction(over transport: ObservedTransport?) async -> Report {
        var report = Report()
        if record.kind == HandleProvider.kind {
            byHandle(&report)
            return report
        }
        guard let provider = settings(&report), secret(of: provider, &report) else {
            report.isUsable = false
            return report
        }
        redirects(of: provider, &report)
        if let transport { await reach(provider, over: transport, &report) }
        return report
    }

    /// There is no provider to reach: each person's host is another.
    private func byHandle(_ report: inout Report) {
        let rules = administration.identityRules
        do {
            let provider = try HandleProvider(record, rules)
            guard let client = OwnClientDocument(provider, at: administration.publicURL, rules)
            else { throw HandleProviderRefusal.publicAddress }
            report.findings.append(
                .passed("settings", "client \(client.clientID), scopes \(provider.scope.text)")
            )
        } catch {
            report.findings.append(
                .problem("settings", "\(error)", fix: portico("provider update atproto …"))
            )
            report.isUsable = false
        }
    }

    private func settings(_ report: inout Report) -> IdentityProvider? {
        do {
            let provider = try IdentityProvider(
                record,
                allowingStandIns: administration.allowsStandIns
            )
            let scopes = provider.scopes.map(\.text).joined(separator: " ")
            report.findings.append(
                .passed("settings", "client \(provider.clientID), scopes \(scopes)")
            )
            return provider
        } catch {
            let failure = Failure(translating: error)
            report.findings.append(
                .problem("settings", failure?.what ?? "unusable", fix: update("…"))
            )
            return nil
        }
    }

    private func secret(of provider: IdentityProvider, _ report: inout Report) -> Bool {
        do {
            let secret = try administration.installation.providerSecrets.open(record)
            try provider.check(secret)
            let text =
                switch secret {
                case .text: "a client secret, which opens with the key ring"
                case .key: "a private key, which opens with the key ring"
                case nil: "none: we are a public client"
                }
            report.findings.append(.passed("secret", text))
            return true
        } catch {
            let failure = Failure(translating: error)
            report.findings.append(
                .problem("secret", failure?.what ?? "unusable", fix: update("--secret-file PATH"))
            )
            return false
        }
    }

    private func redirects(of provider: IdentityProvider, _ report: inout Report) {
        let isTaken = provider.permits(redirectURI: addresses.callback)
        guard isTaken else {
            report.findings.append(
                .problem(
                    "redirects",
                    "\(addresses.callback) is not https on a domain name, and "
                        + "\(provider.displayName) takes nothing else",
                    fix: "public-url: https://YOUR.DOMAIN in portico.yaml"
                )
            )
            return
        }
        // Whether the provider knows them cannot be seen from here.
        let console = Self.console(of: record.kind)
        let uris = addresses.redirectURIs
        for uri in uris {
            report.findings.append(
                .note(
                    "redirects",
                    "\(uri) must be registered with the provider",
                    fix: uri == uris.last
                        ? "Register \(uris.count == 1 ? "it" : "both") \(console)" : nil
                )
            )
        }
    }

    private static func console(of kind: String) -> String {
        switch kind {
        case "google":
            "at https://console.cloud.google.com/auth/clients (docs/sign-in-with-google.md)"
        case "apple":
            "at https://developer.apple.com/account/resources (docs/sign-in-with-apple.md)"
        case "facebook": "at https://developers.facebook.com/apps, under Facebook Login, Settings"
        default: "in this client's settings at the provider"
        }
    }

    private func reach(
        _ provider: IdentityProvider,
        over transport: ObservedTransport,
        _ report: inout Report
    ) async {
        do {
            report.health = try await administration.client(of: record, over: transport).probe()
        } catch {
            return
        }
        // The last one is what it failed at.
        let good = report.health.isDown ? transport.exchanges.dropLast() : transport.exchanges[...]
        for exchange in good {
            guard let reply = exchange.reply, reply.response.status == .ok else { continue }
            report.findings.append(seen(exchange, reply))
        }
        if case .down(_, let reason) = report.health {
            report.findings.append(problem(reason, provider, transport))
        } else if good.isEmpty {
            report.findings.append(.note("keys", "it publishes none"))
        }
    }

    private func seen(_ exchange: ObservedTransport.Exchange, _ reply: HTTPReply) -> Finding {
        let place = "\(exchange.address) (\(exchange.milliseconds) ms)"
        // `try?`: the probe reports a reply that is not JSON.
        let json = try? JSONObject(parsing: reply.body)
        guard let keys = json?.array("keys") else { return .passed("metadata", place) }
        return .passed("keys", "\(keys.count) at \(place)")
    }

    private func problem(
        _ reason: ProviderHealth.Reason,
        _ provider: IdentityProvider,
        _ transport: ObservedTransport
    ) -> Finding {
        let last = transport.exchanges.last
        let place = last?.address ?? provider.canonicalIssuer
        switch (reason, last?.result) {
        case (_, .failure(let error)?):
            return .problem("reachable", "\(place): \(error)", fix: error.remedy)
        case (.failing, .success(let reply)?):
            return .problem(
                "reachable",
                "\(place) answers \(reply.response.status.code)",
                fix: "Try again later, or ask the people who run it."
            )
        case (_, .success(let reply)?):
            guard reply.response.status == .ok else {
                return .problem(
                    "metadata",
                    "\(place) answers \(reply.response.status.code)",
                    fix: "Is the issuer right? \(update("--issuer URL"))"
                )
            }
            // `try?`: a reply that is not JSON names no issuer.
            let json = try? JSONObject(parsing: reply.body)
            let named = json?.string("issuer")
            if let named, !provider.issuer.isNamed(byMetadata: named) {
                // Of a provider with many tenants, each of which is an issuer.
                let hasTenants = IssuerTemplate(named) != nil
                return .problem(
                    "issuer",
                    "it calls itself \(named), not \(provider.canonicalIssuer)",
                    fix: hasTenants
                        ? "Use your tenant's own issuer, or let people of every tenant in: "
                            + update("--tenant-issuers \(named)")
                        : "Use exactly that: \(update("--issuer URL"))"
                )
            }
            let methods =
                json?.array("code_challenge_methods_supported")?.compactMap(\.string) ?? []
            if named != nil, !methods.contains("S256"), !provider.profile.pkceUnannounced {
                return .problem(
                    "metadata",
                    "it does not announce PKCE with S256",
                    fix: "If it accepts PKCE anyway: \(update("--pkce-unannounced"))"
                )
            }
            return .problem(
                "metadata",
                "what \(place) says cannot be used",
                fix: "Ask the people who run it: it must follow OpenID Connect Discovery."
            )
        case (_, nil):
            return .problem("reachable", "\(place) was not reached", fix: update("…"))
        }
    }

    private func update(_ options: CommandWords) -> String {
        portico("provider update \(record.name) \(options)")
    }
}
