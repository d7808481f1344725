import PorticoBytes
package import PorticoWeb

/// A request to the administration.
package struct AdminContext: ServiceContext {
    package let request: RequestContext
    let parameters: PathParameters
    let scripts = KnownScripts()

    /// Without a slash at its end, which says nothing here.
    var path: String { target.pathWithoutLastSlash }

    /// Of that, what is below the realm; bounded.
    var pathOfRealm: String {
        let below = path.utf8.dropFirst("/admin/realms/".utf8.count)
            .drop { $0 != UInt8(ascii: "/") }.dropFirst()
        return String(Substring(below.prefix(1000)))
    }

    init(_ request: RequestContext, _ parameters: PathParameters) {
        self.request = request
        self.parameters = parameters
    }
}

/// The origins whose scripts may read the answer, once the token's client is known.
final class KnownScripts: Sendable {
    private let noted = Locked<Set<String>?>(nil)

    var origins: Set<String>? { noted.withLock { $0 } }

    func note(_ origins: [String]) {
        noted.withLock { $0 = Set(origins) }
    }
}
