import NIOCore
import PorticoSystem
import PorticoWeb

/// How the files that the process may have open are shared out, so that what is promised stays within
/// them: without a free one, no connection can be accepted, and no waiting one be replaced.
struct OpenFiles: Hashable, Sendable {
    let connections: Int
    /// Requests of one outgoing transport at one time; an eighth as many names are looked up.
    let outgoing: Int

    /// What a request of each transport takes, all in all: five guarded transports and two plain ones
    /// (docs/decisions/0067) have a connection for it; and an eighth of them has a name to look up, in
    /// five resolvers and for TXT records in two, with two files each.
    private static let each = 9
    /// Connections of clients and requests of a transport, whatever the limit.
    private static let least = 8
    private static let most = (connections: 8192, outgoing: 256)

    /// - Parameters:
    ///   - allowed: Files that may be open at one time.
    ///   - wanted: Connections of clients; fewer where they do not fit. `nil`: half of what is left, or
    ///     more where the transports need less.
    init(_ allowed: Int = Self.allowed, cores: Int = System.coreCount, wanted: Int? = nil) {
        let left = allowed - Self.own(cores: cores) - UploadPlaces.most
        let forOthers = left - min(wanted ?? left / 2, left)
        outgoing = min(Self.most.outgoing, max(Self.least, forOthers / Self.each))
        let fitting = max(Self.least, left - Self.each * outgoing)
        connections = min(wanted ?? Self.most.connections, fitting)
    }

    init(_ settings: Settings) {
        self.init(wanted: settings.limitConnections)
    }

    var names: Int { max(1, outgoing / 8) }

    /// What the program opens itself: three files for each core's loop, as many for the readers of the
    /// database, and some for the log, the locks, libcurl and mail.
    static func own(cores: Int) -> Int { 48 + 8 * cores }

    private static var allowed: Int {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 256
    }

    /// Raises the soft limit to the hard one, to 65,536 at most. Systems start programs with 1,024 for
    /// the sake of `select`, which nothing here uses.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let most = min(limit.rlim_max, 65_536)
        guard limit.rlim_cur < most else { return }
        limit.rlim_cur = most
        // Where it is refused, the limit stays, and `init` reads it.
        _ = setrlimit(resource, &limit)
    }

    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t {
            __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        }
    #else
        private static var resource: Int32 { RLIMIT_NOFILE }
    #endif
}

extension ConnectionLimits {
    /// The limits that the settings have: connections, body size and timeouts.
    ///
    /// - Parameter administers: Whether an `Authorization` field has a token that may make realms.
    init(_ settings: Settings, administers: @escaping @Sendable (String) -> Bool) {
        self.init(connections: OpenFiles(settings).connections)
        body = settings.limitBody
        if settings.adminREST {
            // A realm may come with everything in it.
            longBodies = ["/admin/realms", "/admin/realms/"].map { path in
                LongBody(path: path, bytes: 4 << 20, admits: administers)
            }
        }
        uploads = Uploads(bytes: settings.limitUpload, folder: settings.dataDirectory)
        headTime = .seconds(Int64(settings.limitRequestSeconds))
        bodyTime = .seconds(Int64(settings.limitRequestSeconds))
        idleTime = .seconds(Int64(settings.limitIdleSeconds))
    }
}
