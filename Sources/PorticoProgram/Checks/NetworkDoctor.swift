import HTTPTypes
import PorticoATProtocol
import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoSignIn
import PorticoStores
import PorticoUpstream

/// The part of ``Doctor`` that checks what other parties see and serve: the public address, realms,
/// identity providers, apps, the clock.
struct NetworkDoctor {
    let administration: Administration
    let backend: BackendConfiguration
    /// `nil`: without the network.
    let outbound: ObservedTransport?
    /// The same for what hosts of the AT Protocol ask: guarded as theirs is.
    let guarded: ObservedTransport?

    private var publicURL: String { administration.publicURL }

    /// - Parameter leads: How far this machine was ahead of each server that was asked.
    func clock(_ leads: [Int64]) -> [Finding] {
        guard let lead = leads.sorted().dropFirst(leads.count / 2).first else {
            return [.note("clock", "not compared: no provider was asked, or none answered")]
        }
        // `Date` has whole seconds, and the answer took a while.
        guard lead.magnitude > 5 else { return [.passed("clock", "same as the providers'")] }
        let text = "\(lead.magnitude) s \(lead > 0 ? "ahead of" : "behind") the providers'"
        return [
            lead.magnitude > 30
                ? .problem(
                    "clock",
                    "\(text): ID Tokens may be refused",
                    fix: "sudo timedatectl set-ntp true"
                ) : .note("clock", text)
        ]
    }

    /// Whether a demo made a client, to be as lax as the app that it is for.
    func isOfDemo(_ client: Client) -> Bool {
        administration.allowsStandIns && DemoArticle.made(client)
    }

    /// What an operator should know of the enabled clients of all realms, kind by kind.
    func clients() async throws -> [Finding] {
        var kinds = [[Finding]](repeating: [], count: 4)
        for realm in administration.realmList {
            for client in try await administration.clients(of: realm) where client.isEnabled {
                for (kind, found) in notes(of: client, in: realm).enumerated() {
                    kinds[kind] += found.map { text, fix in
                        let text = "\(text) (realm \(realm.name))"
                        return .note("client \(client.clientID)", text, fix: fix)
                    }
                }
            }
        }
        return kinds.flatMap(\.self)
    }

    private func notes(of client: Client, in realm: Realm) -> [[(text: String, fix: String)]] {
        let update: CommandWords = "client update \(client.clientID) --realm \(realm.name)"
        let isOfDemo = isOfDemo(client)
        // Imported clients may be laxer than new ones can be (docs/decisions/0032).
        let isLax = client.type == .public && client.codeProtection != .pkce && !isOfDemo
        // They keep redirect patterns that no new client gets: each that lets through more than one address of
        // the app's own is named.
        let patterns = isOfDemo ? [] : client.laxPatterns(issuer: realm.issuer)
        return [
            isLax ? [("public, and PKCE is optional", portico("\(update) --pkce"))] : [],
            patterns.map { pattern, warning in
                (
                    "redirect URI \(pattern): \(warning.description)",
                    portico("\(update) --redirect-uri ADDRESS")
                        + ", for each address that the app has"
                )
            },
            // Anyone can send a link with a login token of their own: it signs the person who opens it in to
            // that app, as the sender.
            client.loginTokenTargets.filter(\.isSilent).map { target in
                (
                    "a link with its login token signs in to \(target.clientID) without asking",
                    portico("\(update) --login-token-target \(target.clientID)")
                )
            },
            client.administers && client.lendsAdministration
                ? [
                    (
                        "administers: its people's tokens carry their administrative roles",
                        portico("\(update) --no-administers")
                    )
                ] : [],
        ]
    }

    func providers() async -> (findings: [Finding], clockLeads: [Int64]) {
        var findings: [Finding] = []
        var leads: [Int64] = []
        for record in backend.allProviders {
            let realm = administration.realmList.first { $0.id == record.realmID }?.name
            let name =
                record.realmID == backend.realm?.id
                ? record.name : "\(record.name) (realm \(realm ?? ""))"
            guard record.isEnabled else {
                let why = record.obstacle.map { ": \($0)" } ?? ""
                findings.append(.note(name, "disabled\(why)"))
                continue
            }
            let transport = outbound?.anew { administration.transport(of: record, over: $0) }
            let report = await ProviderCheck(
                administration: administration,
                record: record,
                addresses: administration.addresses(of: record, beside: backend)
            )(over: transport)
            leads += (transport?.exchanges ?? []).compactMap(\.clockLead)
            let problems = report.findings.filter { $0.mark == .problem }
            findings += problems.map { $0.under(name) }
            guard problems.isEmpty else { continue }
            let time = transport?.exchanges.map(\.milliseconds).max().map { ", \($0) ms" } ?? ""
            findings.append(
                .passed(
                    name,
                    record.kind == HandleProvider.kind
                        ? "settings are usable"
                        : transport == nil
                            ? "settings and secret are usable" : "answers with its keys\(time)"
                )
            )
        }
        return (findings + appleHint() + proofHint() + artworkHint(), leads)
    }

    /// App Store Review Guidelines 4.8: an app that offers such a sign-in offers an equal one that
    /// keeps the address private.
    private func appleHint() -> [Finding] {
        let kinds = Set(backend.providers.filter(\.isEnabled).map(\.kind))
        let hasAppleApp = backend.apps.contains { $0.isEnabled && !$0.handOff.appleAppIDs.isEmpty }
        guard hasAppleApp, !kinds.isDisjoint(with: ["google", "facebook"]),
            !kinds.contains("apple")
        else { return [] }
        return [
            .note(
                "apple",
                "App Review expects an iOS app with Google or Facebook to offer Sign in with "
                    + "Apple or an equivalent too",
                fix: portico("provider add apple")
            )
        ]
    }

    /// Google, Apple and Facebook do not report when a person signed in with them: such a person
    /// confirms who they are by a mailed code, before an account is linked, changed or deleted.
    private func proofHint() -> [Finding] {
        let undated = Set(PageLook.branded.map(\.rawValue))
        let names = backend.allProviders.filter { $0.isEnabled && undated.contains($0.kind) }
            .map(\.name)
        let settings = administration.installation.settings
        guard let first = names.first, settings.mailSMTP == nil, settings.mailSendmail == nil,
            !administration.allowsStandIns
        else { return [] }
        return [
            .note(
                first,
                "no mail is sent: people who sign in only with \(names.joined(separator: ", ")) "
                    + "cannot confirm who they are, to change or delete the account",
                fix: "mail.from and mail.smtp in portico.yaml"
            )
        ]
    }

    /// Vendors prescribe their mark on the button: names the missing ones of a public server.
    private func artworkHint() -> [Finding] {
        // `try?`: what cannot be read is reported elsewhere.
        guard publicURL.hasPrefix("https://"),
            let look = try? PageLook(administration.installation.settings)
        else { return [] }
        let offered = Set(backend.providers.filter(\.isEnabled).map(\.kind))
        let missing = PageLook.branded.filter {
            offered.contains($0.rawValue) && look.images[PageImage.mark(of: $0)] == nil
        }
        guard !missing.isEmpty else { return [] }
        let names = missing.map(\.rawValue)
        let vendors = names.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let who =
            vendors.count == 1
            ? "\(vendors[0]) requires its logo"
            : vendors.dropLast().joined(separator: ", ") + " and \(vendors[vendors.count - 1]) "
                + "require their logos"
        return [
            .note(
                "buttons",
                "\(who) on the button, and there is none",
                fix: "pages.brand in portico.yaml: a folder with \(names[0]).svg, as the vendor "
                    + "supplies it"
            )
        ]
    }

    func apps() async -> [Finding] {
        var findings: [Finding] = []
        for app in backend.apps {
            guard app.isEnabled else {
                findings.append(.note(app.clientID, "disabled"))
                continue
            }
            let isOfDemo = administration.allowsStandIns && DemoRealm.made(app)
            if let warning = app.sessionWarning, !isOfDemo {
                findings.append(
                    .note(
                        app.clientID,
                        warning,
                        fix: app.update("--hand-off code", in: backend.realm?.name)
                    )
                )
            }
            findings += await links(of: app)
        }
        return findings
    }

    private func links(of app: Client) async -> [Finding] {
        let links = AppLinks(app, in: backend.realm?.name, publicURL: publicURL)
        let hasHTTPS = app.redirectURIs.contains { $0.kind == .https }
        guard links.isInFiles else {
            guard hasHTTPS else {
                let redirects = joined(app.redirectURIs.map(\.text))
                return [.passed(app.clientID, redirects ?? "native tokens only")]
            }
            return [
                .problem(
                    app.clientID,
                    "has an https redirect, but nothing says which app opens it",
                    fix: app.update("--apple-app TEAM.BUNDLE", in: backend.realm?.name)
                )
            ]
        }
        guard let outbound else {
            return [.note(app.clientID, "association files not fetched (--offline)")]
        }
        return await links.check(over: outbound).map { $0.under(app.clientID) }
    }
}

extension NetworkDoctor {
    /// What hosts of the AT Protocol, and their clients, read of us.
    func published() async -> [Finding] {
        guard let guarded else { return [] }
        let rules = administration.identityRules
        let documents = PublishedDocuments(transport: guarded, rules: rules)
        var findings: [Finding] = []
        for record in backend.allProviders
        where record.isEnabled && record.kind == HandleProvider.kind {
            // `try?`: what cannot be used is reported with the providers.
            guard let provider = try? HandleProvider(record, rules),
                let client = OwnClientDocument(provider, at: publicURL, rules)
            else { continue }
            findings += await documents.check(client, backend.handleKeys)
        }
        for realm in administration.realmList where realm.isEnabled {
            findings += await documents.check(realm)
        }
        return findings
    }
}

extension Client {
    fileprivate func laxPatterns(issuer: String) -> [(String, RedirectPattern.Warning)] {
        guard redirectRule == .patterns else { return [] }
        let patterns = RedirectPatterns(
            redirectURIs.map(\.text),
            rootURL: rootURI,
            serverOrigin: HTTPAddress(issuer)?.webOrigin ?? ""
        )
        return patterns.patterns.compactMap { pattern in
            // An asterisk that stands for itself lets nothing through.
            guard let warning = pattern.warning, warning != .literalAsterisk else { return nil }
            return (pattern.text, warning)
        }
    }
}
