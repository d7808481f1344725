import ArgumentParser
import PorticoOutbound
import PorticoSystem

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the installation and suggest fixes.",
        discussion: """
            Settings, data folder, key ring, database, disk, mail, clock; the public address as others \
            reach it; identity providers; what hosts of internet handles read of us; the association \
            files of apps. Nothing is changed; whether the database can be written is tried with a row \
            that means nothing. Exit code 10 means that problems were found.
            """
    )

    @Option(help: SettingTable.entries.publicURL.setting.argumentHelp)
    var publicURL: String?
    @Flag(help: "Check this machine only, without the network.")
    var offline = false
    @OptionGroup var place: DataDirectoryOptions
    @OptionGroup var read: ReadOptions
    @OptionGroup var output: ConsoleOptions

    func run() async throws {
        let console = output.console
        let findings = try await look(console)
        try console.show(findings, read)
        if let failure = findings.failure { throw failure }
    }

    private func look(_ console: Console) async throws -> Findings {
        let settings: Settings
        let origins: [String: SettingOrigin]
        do {
            (settings, origins) = try place.reader(publicURL: publicURL).settings()
        } catch let failure as Failure {
            var findings = Findings()
            findings.add("Server", [.problem("settings", failure.what, fix: failure.remedy)])
            return findings
        }
        func doctor(_ outbound: OutboundClient?) async throws -> Findings {
            try await Doctor(
                settings: settings,
                origins: origins,
                environment: ProcessInfo.processInfo.environment,
                console: console,
                outbound: outbound
            )()
        }
        return offline
            ? try await doctor(nil) : try await Administration.withOutbound { try await doctor($0) }
    }
}
