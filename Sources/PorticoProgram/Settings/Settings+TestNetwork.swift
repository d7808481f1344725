import PorticoAdministration
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoWeb

extension Settings {
    /// The test network, if there is one (docs/decisions/0058).
    ///
    /// - Throws: where its file says what it must not, or where anybody else could reach this server:
    ///   to them it would be another host than it is.
    func network() throws(Failure) -> TestNetwork? {
        guard let file = self.testNetwork else { return nil }
        let network = try TestNetwork(file: file)
        guard self.listen.isLoopback else {
            throw .exposed(
                "The server would listen on \(self.listen.text).",
                "Listen on this machine only: --listen 127.0.0.1:8080"
            )
        }
        if let publicURL = self.publicURL, !network.isOwn(publicURL.origin) {
            throw .exposed(
                "The public URL is \(publicURL), which is neither this machine nor in the file.",
                "Name it under hosts, or leave out --public-url."
            )
        }
        return network
    }
}

extension TestNetwork {
    /// - Throws: where a realm has a host of its own that the file does not name.
    func check(_ realms: [Realm]) throws(Failure) {
        for realm in realms {
            guard let host = realm.host, !isOwn(host.origin) else { continue }
            throw .exposed(
                "Realm \(realm.name) is at \(host), which is neither this machine nor in the file.",
                "Name it under hosts, or serve without --test-network."
            )
        }
    }

    fileprivate func isOwn(_ origin: String) -> Bool {
        guard let address = HTTPAddress(origin) else { return false }
        return address.isThisMachine || hosts[address.host] != nil
    }

    /// - Parameter file: In YAML: `hosts`, `plain`, `txt` and `ca`.
    fileprivate init(file path: String) throws(Failure) {
        let values: [String: SettingsFile.Value]
        do {
            values = try SettingsFile(path).values
        } catch {
            throw Failure(
                .wrongValue,
                "The test network \(printable(path)) cannot be read.",
                advice: error.lines
            )
        }
        var hosts: [String: String] = [:]
        var texts: [String: [String]] = [:]
        var plain: [String] = []
        var authority: String?
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            switch (key, value) {
            case ("ca", .text(let file)):
                authority = SettingOrigin.file(path, key: key).resolve(file)
            case ("plain", .list(let names)): plain = names
            case (let key, .text(let address)) where key.hasPrefix("hosts."):
                hosts[String(key.dropFirst("hosts.".count))] = address
            case (let key, .list(let records)) where key.hasPrefix("txt."):
                texts[String(key.dropFirst("txt.".count))] = records
            default: throw .network(path, "\(printable(key)) is not one of its values.")
            }
        }
        do {
            try self.init(hosts: hosts, plain: plain, texts: texts, authority: authority)
        } catch {
            throw .network(path, error.explanation)
        }
    }
}

extension TestNetwork.Refusal {
    fileprivate var explanation: String {
        switch self {
        case .name(let name): "\(printable(name)) is no name of a public host, or under .test."
        case .address(let name):
            "\(printable(name)) must have an address of this machine with its port."
        case .plain(let name): "\(printable(name)) stands under plain, and not under hosts."
        case .text(let name): "\(printable(name)) is no name of a handle's record."
        }
    }
}

extension Failure {
    fileprivate static func network(_ path: String, _ what: String) -> Failure {
        Failure(
            .wrongValue,
            "The test network \(printable(path)) is refused: \(what)",
            "See docs/configuration.md. Such as: hosts: {pds.example.com: 127.0.0.1:8443}"
        )
    }

    fileprivate static func exposed(_ what: String, _ advice: String) -> Failure {
        Failure(
            .wrongValue,
            "A test network is for this machine only. \(what)",
            advice
        )
    }
}
