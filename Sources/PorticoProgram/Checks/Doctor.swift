import PorticoBytes
import PorticoMail
import PorticoOutbound
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoSystem

/// Checks everything that a server needs, changes nothing, and suggests fixes.
struct Doctor {
    let settings: Settings
    let origins: [String: SettingOrigin]
    let environment: [String: String]
    let console: Console
    /// `nil`: without the network.
    let outbound: OutboundClient?

    func callAsFunction() async throws -> Findings {
        var findings = Findings()
        var server = [settingsFinding()] + servingFindings() + [mailFinding()] + pageFindings()
        let directory = DataDirectory(path: settings.dataDirectory)
        guard directory.hasDatabase else {
            server.append(
                .note(
                    "data",
                    "no data in \(directory.path) yet",
                    fix: DataDirectory(path: directory.path + "/demo").hasDatabase
                        ? "That of serve --demo: --data-directory \(directory.path)/demo"
                        : "portico realm create NAME, or portico provider add KIND"
                )
            )
            findings.add("Server", server)
            return findings
        }
        server += folderFindings(directory)
        let installation: Installation
        do {
            installation = try Installation.open(settings, missing: .fail, isDryRun: true)
            server.append(.passed("key ring", "opens"))
            server.append(.passed("database", "SQLite, \(size(of: directory.database))"))
        } catch {
            let failure = Failure(translating: error)
            server.append(
                .problem(
                    failure?.problem == .keyRing ? "key ring" : "database",
                    failure?.what ?? "cannot be opened",
                    fix: failure?.remedy ?? "See the message of: portico serve"
                )
            )
            findings.add("Server", server)
            return findings
        }
        let result: Result<Findings, any Error>
        do {
            result = .success(try await look(installation, server))
        } catch {
            result = .failure(error)
        }
        try await installation.close()
        return try result.get()
    }

    private func look(_ installation: Installation, _ server: [Finding]) async throws -> Findings {
        let administration = Administration(
            installation: installation,
            snapshot: try await installation.realms.snapshot(),
            console: console
        )
        let backend = try await administration.backend()
        let clock = installation.clock
        let observed = outbound.map { ObservedTransport($0, now: { clock.moment().now }) }
        let network = NetworkDoctor(
            administration: administration,
            backend: backend,
            outbound: observed,
            guarded: guarded(clock)
        )
        let publicAddress = PublicAddress(
            administration: administration,
            backend: backend,
            outbound: observed
        )
        var findings = Findings()
        let (providers, leads) = await network.providers()
        findings.add("Server", server + network.clock(leads))
        findings.add("Public address", await publicAddress())
        findings.add(
            "Realms",
            network.laxClients() + network.laxRedirects() + network.silentHandOns()
        )
        findings.add("Providers", providers)
        findings.add("Internet handles", await network.published())
        findings.add("Apps", await network.apps())
        return findings
    }

    /// `nil`: without the network.
    private func guarded(_ clock: Clock) -> ObservedTransport? {
        guard outbound != nil else { return nil }
        // `try?`: a test network that cannot be used is reported with the server.
        let network = try? settings.network()
        return ObservedTransport(GuardedTransport(in: network), now: { clock.moment().now })
    }

    private func settingsFinding() -> Finding {
        var counts: [String: Int] = [:]
        for origin in origins.values {
            switch origin {
            case .option: counts["options", default: 0] += 1
            case .variable: counts["the environment", default: 0] += 1
            case .file(let path, _): counts[path, default: 0] += 1
            }
        }
        let text = counts.sorted { $0.key < $1.key }.map { "\($0.value) from \($0.key)" }
        return .passed("settings", text.isEmpty ? "defaults" : text.joined(separator: ", "))
    }

    private func servingFindings() -> [Finding] {
        do {
            try settings.checkForServing()
            return proxyFindings() + networkFindings()
        } catch {
            return [.problem("listen", error.what, fix: error.remedy)]
        }
    }

    private func networkFindings() -> [Finding] {
        guard let file = settings.testNetwork else { return [] }
        do {
            let count = try settings.network()?.hosts.count ?? 0
            return [.note("test network", "\(file): names that lead to this machine: \(count)")]
        } catch {
            return [.problem("test network", error.what, fix: error.remedy)]
        }
    }

    /// Behind a proxy that is not trusted, all requests have its address and share one limit.
    private func proxyFindings() -> [Finding] {
        guard settings.effectivePublicURL.hasPrefix("https://") else { return [] }
        guard !settings.trustedProxies.isEmpty else {
            return [
                .problem(
                    "proxies",
                    "the public URL is https, and no proxy is trusted: everyone counts as one "
                        + "visitor",
                    fix: "trusted-proxies: [127.0.0.1] in portico.yaml, or where your proxy is"
                )
            ]
        }
        return [.passed("proxies", "trusted: \(joined(settings.trustedProxies) ?? "")")]
    }

    private func mailFinding() -> Finding {
        do {
            guard let mail = try OutgoingMail(settings, environment: environment) else {
                return .note(
                    "mail",
                    "none is sent: no codes, no notices",
                    fix: "mail.from and mail.smtp in portico.yaml"
                )
            }
            return .passed("mail", "from \(mail.from.address.text)")
        } catch {
            return .problem("mail", error.what, fix: error.remedy)
        }
    }

    private func pageFindings() -> [Finding] {
        let look: PageLook
        do {
            look = try PageLook(settings)
        } catch {
            return [.problem("pages", error.what, fix: error.remedy)]
        }
        return look.theme.faints.map {
            .note(
                "pages",
                "too hard to see: \($0)",
                fix: "Another value in pages.light or pages.dark (WCAG 1.4.3, 1.4.11)."
            )
        }
    }

    /// Only the user that runs the server may read its folder.
    private func folderFindings(_ directory: DataDirectory) -> [Finding] {
        var findings: [Finding] = []
        for (name, path, fix) in [
            ("data folder", directory.path, "chmod 700"),
            ("database file", directory.database, "chmod 600"),
        ] {
            guard let status = Self.status(of: path) else {
                findings.append(
                    .problem(
                        name,
                        "\(path) cannot be read",
                        fix: "Run doctor as the user that runs the server."
                    )
                )
                continue
            }
            let mode = status.st_mode & 0o777
            let text = String(mode, radix: 8)
            findings.append(
                mode & 0o077 == 0
                    ? .passed(name, "\(path), mode \(text)")
                    : .problem(name, "others can read \(path), mode \(text)", fix: "\(fix) \(path)")
            )
        }
        return findings
    }

    private func size(of path: String) -> String {
        // The latest writes are in the write-ahead log.
        let bytes = [path, path + "-wal"].compactMap { Self.status(of: $0)?.st_size }.reduce(0, +)
        return bytes < 1_000_000 ? "\(bytes / 1000) kB" : "\(bytes / 1_000_000) MB"
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
