import PorticoBytes
import PorticoMail
import PorticoOutbound
import PorticoPages
import PorticoProtocol
import PorticoSQLite
import PorticoSeals
import PorticoStores
import PorticoSystem

/// Checks everything that a server needs, and suggests fixes. It changes nothing but the row by which it
/// tries whether the database can be written.
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
        let hasData: Bool
        do throws(Failure) {
            hasData = try directory.hasDatabase()
        } catch {
            server.append(.problem("data", error.what, fix: error.remedy))
            findings.add("Server", server)
            return findings
        }
        guard hasData else {
            server.append(
                .note(
                    "data",
                    "no data in \(directory.path) yet",
                    // `try?`: what cannot be read is no help.
                    fix: (try? directory.ofDemo.hasDatabase()) == true
                        ? "That of serve --demo: --data-directory "
                            + shellWord(directory.ofDemo.path)
                        : portico("realm create NAME") + ", or " + portico("provider add KIND")
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
            server.append(await diskFinding(directory, at: installation.clock.moment().seconds))
        } catch {
            let failure = Failure(translating: error)
            if let room = DiskRoom(at: directory.path), room.isNone {
                let fix = DiskRoom.remedy(directory.path)
                server.append(.problem("disk", "\(room.text) free", fix: fix))
            }
            server.append(
                .problem(
                    failure?.problem == .keyRing ? "key ring" : "database",
                    failure?.what ?? "cannot be opened",
                    fix: failure?.remedy ?? "See the message of: \(portico("serve"))"
                )
            )
            findings.add("Server", server)
            return findings
        }
        return try await finally(installation.close) { try await look(installation, server) }
    }

    private func look(_ installation: Installation, _ server: [Finding]) async throws -> Findings {
        let administration = Administration(
            installation: installation,
            realmList: try await installation.realms.realms(),
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
        findings.add("Realms", try await unmailed(administration) + network.clients())
        findings.add("Providers", providers)
        findings.add("Internet handles", await network.published())
        findings.add("Apps", await network.apps())
        return findings
    }

    /// Realms whose rules take mail, where none is sent.
    private func unmailed(_ administration: Administration) -> [Finding] {
        guard !administration.installation.sendsMail else { return [] }
        return administration.realmList.filter(\.isEnabled).flatMap { realm in
            realm.lackingMail.map {
                Finding.problem(
                    "realm \(realm.name)",
                    "no mail is sent: \($0)",
                    fix: "mail.from and mail.smtp in portico.yaml"
                )
            }
        }
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
                    "the public URL is https, and no proxy is trusted: all people share one limit",
                    fix: "trusted-proxies: [127.0.0.1] in portico.yaml, or where your proxy is"
                )
            ]
        }
        return [.passed("proxies", "trusted: \(joined(settings.trustedProxies) ?? "")")]
    }

    private func mailFinding() -> Finding {
        do {
            guard let mail = try OutgoingMail(settings, environment: environment) else {
                guard !DataDirectory(path: settings.dataDirectory).isOfDemo else {
                    return .passed("mail", "none is sent: the demo shows it at /_outbox")
                }
                return .note(
                    "mail",
                    "none is sent: no codes, no notices",
                    fix: "mail.from and mail.smtp in portico.yaml"
                )
            }
            try OutgoingMail.checkProgram(settings)
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
        directory.parts.map { name, path, mode in
            guard let owner = FileOwner(path) else {
                let fix = "Run doctor as the user that runs the server."
                return .problem(name, "\(path) cannot be read", fix: fix)
            }
            let text = "\(path), mode \(owner.modeText)"
            return owner.isOpenToOthers
                ? .problem(name, "others can read \(text)", fix: owner.remedy(mode))
                : .passed(name, text)
        }
    }

    /// Does what a redemption does: writes, durably, into the database.
    private func diskFinding(_ directory: DataDirectory, at now: Int64) async -> Finding {
        let room = DiskRoom(at: directory.path)
        let left = room?.text ?? "an unknown number of bytes"
        do {
            guard let database = try SQLiteDatabase(writingTo: directory.database) else {
                return .note("disk", "\(left) free; the database is empty: writing was not tried")
            }
            try await finally(database.close) {
                try await WriteProbeStore(database).write(at: now)
            }
        } catch is StoreBusy {
            return .note("disk", "\(left) free; the database is busy: writing was not tried")
        } catch {
            if let why = directory.whyReadOnly {
                return .problem("disk", why.what, fix: why.remedy)
            }
            let why = (error as? SQLError)?.whyUnwritable ?? "it cannot be opened for writing"
            return .problem(
                "disk",
                "the database cannot be written: \(why); \(left) free",
                fix: (error as? SQLError)?.reason == .readOnly || error is DatabaseOpeningError
                    ? "Run doctor as the user that runs the server."
                    : DiskRoom.remedy(directory.path)
            )
        }
        guard room?.isLittle == true else { return .passed("disk", "\(left) free") }
        return .note("disk", "\(left) free", fix: DiskRoom.remedy(directory.path))
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
