import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoUpstream
import PorticoSystem

/// The data folder of a demo. A demo replaces its data and shows it to anyone, so the folder must not
/// contain anything else.
struct DemoFolder {
    let installation: Installation

    /// - Throws: `not-a-demo` if it has a realm, provider, app or account that no demo created.
    func check() async throws {
        guard let own = try await otherData() else { return }
        throw Failure(
            .notADemo,
            "\(printable(installation.directory.path)) holds \(own) that no demo made.",
            "Leave out --data-directory: the demo then uses its own folder."
        )
    }

    /// Marks a checked folder as the demo's.
    func claim() throws(Failure) {
        let marker = installation.directory.demoMarker
        guard isMarked || FileManager.default.createFile(atPath: marker, contents: nil) else {
            throw Failure(.dataDirectory, "\(printable(marker)) cannot be written.")
        }
    }

    private var isMarked: Bool {
        FileManager.default.fileExists(atPath: installation.directory.demoMarker)
    }

    /// The kind of data that no demo created. A marked folder may have got some since it was marked.
    private func otherData() async throws -> String? {
        let isMarked = isMarked
        let realms = try await installation.realms.snapshot().realms
        let names = [DemoRealm.name, DemoHost.name]
        if realms.contains(where: { !isMarked || !names.contains($0.name) }) { return "realms" }
        let backend = try await installation.backend.configuration()
        if backend.providers.contains(where: { !isMarked || !$0.isStandIn }) { return "providers" }
        if backend.apps.contains(where: { !isMarked || $0.name != DemoBackend.app }) {
            return "apps"
        }
        return try await hasOwnAccount(isMarked) ? "accounts" : nil
    }

    /// Whether any account was created without a stand-in.
    private func hasOwnAccount(_ isMarked: Bool) async throws -> Bool {
        var cursor: UniqueID?
        while true {
            let page = try await installation.accounts.accounts(
                after: cursor,
                email: nil,
                limit: 200
            )
            for account in page {
                let identities = try await installation.accounts.identities(of: account.id)
                guard isMarked, identities.allSatisfy(\.isFromStandIn) else { return true }
            }
            guard let last = page.last else { return false }
            cursor = last.id
        }
    }
}

extension ProviderRecord {
    /// Only a demo can set a directory of DIDs that is asked by plain http.
    fileprivate var isStandIn: Bool {
        settings[ProviderSetting.standIn.rawValue] != nil
            || settings.string(HandleSetting.directory.rawValue)?.dropping("http://") != nil
    }
}

extension Identity {
    /// Stand-ins answer on this machine by plain http, each below its own path. Only the path
    /// distinguishes them from other providers on this machine.
    fileprivate var isFromStandIn: Bool {
        if sameBytes(key.issuer, HandleProvider.kind) {
            return [ATHostPerson.ann, .bob].contains { sameBytes($0.did, key.subject) }
        }
        guard let address = HTTPAddress(key.issuer), !address.isSecure, address.isThisMachine else {
            return false
        }
        return StandInKind.allCases.contains { address.path == "/\($0.rawValue)" }
    }
}
