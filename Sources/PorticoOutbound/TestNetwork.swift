import PorticoBytes
package import PorticoProtocol

/// Names whose servers are on this machine, to try a host of the AT Protocol without a public one
/// (docs/decisions/0058). The guarded client knows them; nothing asks the DNS for them.
package struct TestNetwork: Sendable {
    /// By name, in lower case.
    package let hosts: [String: GuardedTransport.ConnectTarget]
    /// PEM file with the roots to trust for these names instead of the system's.
    package let authority: String?
    /// TXT records by their name, `_atproto.alice.example.com`.
    let texts: [String: [String]]

    package enum Refusal: Error, Hashable, Sendable {
        /// Not a name that a public host could have, in lower case; without a wildcard.
        case name(String)
        /// The name's address is not `127.0.0.1:8443` or `[::1]:8443`: what is not this machine
        /// would get past the guard.
        case address(String)
        /// A name without TLS that has no address.
        case plain(String)
        /// Not a TXT record of a handle.
        case text(String)
    }

    /// - Parameters:
    ///   - hosts: `127.0.0.1:8443` by name.
    ///   - plain: The names among them that are reached without TLS.
    package init(
        hosts: [String: String],
        plain: [String],
        texts: [String: [String]],
        authority: String?
    ) throws(Refusal) {
        for name in plain where hosts[name] == nil { throw .plain(name) }
        var targets: [String: GuardedTransport.ConnectTarget] = [:]
        for (name, address) in hosts.sorted(by: { $0.key < $1.key }) {
            guard Self.isName(name) else { throw .name(name) }
            guard let target = Self.target(address, isPlain: plain.contains(name)) else {
                throw .address(name)
            }
            targets[name] = target
        }
        for name in texts.keys.sorted() {
            guard let handle = name.dropping("_atproto."), Self.isName(String(handle)) else {
                throw .text(name)
            }
        }
        self.hosts = targets
        self.texts = texts
        self.authority = authority
    }

    /// As public hosts have one, or under `.test`: two labels at least, and no address.
    private static func isName(_ text: String) -> Bool {
        do {
            return sameBytes(try HostName(text, allowsTest: true).text, text)
        } catch {
            return false
        }
    }

    private static func target(_ text: String, isPlain: Bool) -> GuardedTransport.ConnectTarget? {
        guard let named = NamedHost(text), isLoopback(named.host) else {
            return nil
        }
        return GuardedTransport.ConnectTarget(
            address: named.host,
            port: named.port,
            isPlain: isPlain
        )
    }

    /// `[::1]`, or four numbers of which the first is 127.
    private static func isLoopback(_ host: String) -> Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
            .map { UInt8($0) }
        return host == "[::1]" || numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }
}

/// TXT records of a test network's names, from its file alone, and of all other names.
package struct TestNetworkTexts: TextRecordResolver {
    private let network: TestNetwork
    private let others: any TextRecordResolver

    package init(_ network: TestNetwork, otherwise others: any TextRecordResolver) {
        self.network = network
        self.others = others
    }

    package func texts(at name: String) async throws(TextRecordError) -> [String] {
        if let texts = network.texts[name] { return texts }
        let isOwn = name.dropping("_atproto.").map { network.hosts[String($0)] != nil }
        return isOwn == true ? [] : try await others.texts(at: name)
    }
}
