// swift-format-ignore-file
// What Darwin declares of what the app-side modules use, as Apple's headers have it. A function that
// the SDK of a system lacks must not stand here for it: no SDK but that of macOS has getentropy, and
// none but that of macOS lets a program start another.

@_exported public import DarwinTypes

public typealias pid_t = Int32
public typealias socklen_t = UInt32
public typealias sa_family_t = UInt8
public typealias in_port_t = UInt16
public typealias nfds_t = UInt32

// Threads
public struct pthread_mutex_t { public init() {} }
public struct pthread_mutexattr_t { public init() {} }
@discardableResult public func pthread_mutex_init(_ mutex: UnsafeMutablePointer<pthread_mutex_t>, _ attributes: UnsafePointer<pthread_mutexattr_t>?) -> Int32 { 0 }
@discardableResult public func pthread_mutex_lock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }
@discardableResult public func pthread_mutex_unlock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }
@discardableResult public func pthread_mutex_destroy(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }

@discardableResult public func pthread_mutexattr_init(_ attributes: UnsafeMutablePointer<pthread_mutexattr_t>) -> Int32 { 0 }
public struct pthread_attr_t { public init() {} }
public typealias pthread_t = UnsafeMutablePointer<UInt>
public typealias sigset_t = UInt32
public let SIG_SETMASK: Int32 = 3
@discardableResult public func pthread_attr_init(_ attributes: UnsafeMutablePointer<pthread_attr_t>) -> Int32 { 0 }
@discardableResult public func pthread_attr_destroy(_ attributes: UnsafeMutablePointer<pthread_attr_t>) -> Int32 { 0 }
@discardableResult public func pthread_attr_setstacksize(_ attributes: UnsafeMutablePointer<pthread_attr_t>, _ size: Int) -> Int32 { 0 }
@discardableResult public func pthread_create(_ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?, _ run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?) -> Int32 { 0 }
@discardableResult public func pthread_detach(_ thread: pthread_t) -> Int32 { 0 }
public func pthread_self() -> pthread_t { UnsafeMutablePointer(bitPattern: 1)! }
@discardableResult public func pthread_sigmask(_ how: Int32, _ set: UnsafePointer<sigset_t>?, _ before: UnsafeMutablePointer<sigset_t>?) -> Int32 { 0 }
@discardableResult public func sigfillset(_ set: UnsafeMutablePointer<sigset_t>) -> Int32 { 0 }
public struct os_unfair_lock_s { public init() {} }
public typealias os_unfair_lock = os_unfair_lock_s
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {}
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) {}

// Files
public let O_RDONLY: Int32 = 0x0000, O_WRONLY: Int32 = 0x0001, O_RDWR: Int32 = 0x0002
public let O_NONBLOCK: Int32 = 0x0004, O_NOFOLLOW: Int32 = 0x0100, O_CREAT: Int32 = 0x0200
public let O_EXCL: Int32 = 0x0800, O_DIRECTORY: Int32 = 0x100000, O_CLOEXEC: Int32 = 0x1000000
public let F_OK: Int32 = 0, LOCK_EX: Int32 = 2, LOCK_NB: Int32 = 4, LOCK_UN: Int32 = 8
public let F_SETFD: Int32 = 2, F_GETFL: Int32 = 3, F_SETFL: Int32 = 4, FD_CLOEXEC: Int32 = 1
public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { -1 }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { -1 }
@discardableResult public func close(_ file: Int32) -> Int32 { 0 }
@discardableResult public func read(_ file: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int) -> Int { 0 }
@discardableResult public func write(_ file: Int32, _ bytes: UnsafeRawPointer!, _ count: Int) -> Int { 0 }
@discardableResult public func fsync(_ file: Int32) -> Int32 { 0 }
@discardableResult public func rename(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 { 0 }
@discardableResult public func unlink(_ path: UnsafePointer<CChar>) -> Int32 { 0 }
@discardableResult public func access(_ path: UnsafePointer<CChar>, _ mode: Int32) -> Int32 { 0 }
@discardableResult public func mkdir(_ path: UnsafePointer<CChar>, _ mode: mode_t) -> Int32 { 0 }
@discardableResult public func fchmod(_ file: Int32, _ mode: mode_t) -> Int32 { 0 }
@discardableResult public func link(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 { 0 }
@discardableResult public func stat(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<DarwinTypes.stat>) -> Int32 { 0 }
@discardableResult public func lstat(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<DarwinTypes.stat>) -> Int32 { 0 }
@discardableResult public func fstat(_ file: Int32, _ status: UnsafeMutablePointer<DarwinTypes.stat>) -> Int32 { 0 }
@discardableResult public func flock(_ file: Int32, _ operation: Int32) -> Int32 { 0 }
@discardableResult public func fcntl(_ file: Int32, _ command: Int32) -> Int32 { 0 }
@discardableResult public func fcntl(_ file: Int32, _ command: Int32, _ value: Int32) -> Int32 { 0 }
@discardableResult public func pipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { 0 }

// Errors
public var errno: Int32 { get { 0 } set {} }
public let EPERM: Int32 = 1, ENOENT: Int32 = 2, EINTR: Int32 = 4, EIO: Int32 = 5, EACCES: Int32 = 13, EEXIST: Int32 = 17
public let ENOTDIR: Int32 = 20, ELOOP: Int32 = 62, EAGAIN: Int32 = 35, EWOULDBLOCK: Int32 = 35
public let EADDRINUSE: Int32 = 48

// Sockets and names
public let AF_UNSPEC: Int32 = 0, AF_INET: Int32 = 2, AF_INET6: Int32 = 30, SOCK_STREAM: Int32 = 1
public let SOL_SOCKET: Int32 = 0xffff, SO_NOSIGPIPE: Int32 = 0x1022, SHUT_WR: Int32 = 1
public let POLLIN: Int32 = 1, POLLOUT: Int32 = 4
public let EAI_NODATA: Int32 = 7, EAI_NONAME: Int32 = 8
public struct in_addr { public var s_addr: UInt32 = 0; public init() {}; public init(s_addr: UInt32) {} }
public struct in6_addr: Sendable { public init() {} }
public let in6addr_loopback = in6_addr()
public struct sockaddr { public init() {} }
public struct sockaddr_storage { public init() {} }
public struct sockaddr_in { public var sin_len: UInt8 = 0, sin_family: sa_family_t = 0, sin_port: in_port_t = 0; public var sin_addr = in_addr(); public init() {} }
public struct sockaddr_in6 { public var sin6_len: UInt8 = 0, sin6_family: sa_family_t = 0, sin6_port: in_port_t = 0; public var sin6_addr = in6_addr(); public init() {} }
public struct pollfd { public var fd: Int32, events: Int16, revents: Int16; public init(fd: Int32, events: Int16, revents: Int16) { (self.fd, self.events, self.revents) = (fd, events, revents) } }
public struct addrinfo {
    public var ai_flags: Int32 = 0, ai_family: Int32 = 0, ai_socktype: Int32 = 0, ai_protocol: Int32 = 0
    public var ai_addrlen: socklen_t = 0
    public var ai_addr: UnsafeMutablePointer<sockaddr>!, ai_next: UnsafeMutablePointer<addrinfo>!
    public init() {}
}
public func getaddrinfo(_ host: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _ hints: UnsafePointer<addrinfo>?, _ list: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>) -> Int32 { 0 }
public func freeaddrinfo(_ list: UnsafeMutablePointer<addrinfo>?) {}
@discardableResult public func poll(_ files: UnsafeMutablePointer<pollfd>?, _ count: nfds_t, _ time: Int32) -> Int32 { 0 }
@discardableResult public func socket(_ domain: Int32, _ type: Int32, _ number: Int32) -> Int32 { 0 }
@discardableResult public func bind(_ file: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> Int32 { 0 }
@discardableResult public func listen(_ file: Int32, _ most: Int32) -> Int32 { 0 }
@discardableResult public func accept(_ file: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?) -> Int32 { 0 }
@discardableResult public func recv(_ file: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int, _ flags: Int32) -> Int { 0 }
@discardableResult public func send(_ file: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ flags: Int32) -> Int { 0 }
@discardableResult public func shutdown(_ file: Int32, _ how: Int32) -> Int32 { 0 }
@discardableResult public func getsockname(_ file: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?) -> Int32 { 0 }
@discardableResult public func setsockopt(_ file: Int32, _ level: Int32, _ name: Int32, _ value: UnsafeRawPointer?, _ length: socklen_t) -> Int32 { 0 }

// The process
public func geteuid() -> uid_t { 0 }
public func getuid() -> uid_t { 0 }
public func getenv(_ name: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>! { nil }
public func arc4random_buf(_ bytes: UnsafeMutableRawPointer, _ count: Int) {}
@discardableResult public func memcmp(_ one: UnsafeRawPointer!, _ other: UnsafeRawPointer!, _ count: Int) -> Int32 { 0 }
@discardableResult public func memcpy(_ to: UnsafeMutableRawPointer!, _ from: UnsafeRawPointer!, _ count: Int) -> UnsafeMutableRawPointer! { nil }
public func memchr(_ bytes: UnsafeRawPointer!, _ byte: Int32, _ count: Int) -> UnsafeMutableRawPointer! { nil }

#if os(macOS)
    public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
    public typealias posix_spawnattr_t = UnsafeMutableRawPointer
    public typealias DIR = OpaquePointer
    public struct dirent { public var d_name: (CChar, CChar) = (0, 0); public init() {} }
    public let STDIN_FILENO: Int32 = 0, STDOUT_FILENO: Int32 = 1, STDERR_FILENO: Int32 = 2, ETXTBSY: Int32 = 26
    public let POSIX_SPAWN_SETPGROUP: Int32 = 2, POSIX_SPAWN_SETSIGDEF: Int32 = 4, POSIX_SPAWN_SETSIGMASK: Int32 = 8
    public let POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 = 0x4000
    @discardableResult public func getentropy(_ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int32 { 0 }
    @discardableResult public func sigemptyset(_ set: UnsafeMutablePointer<sigset_t>) -> Int32 { 0 }
    @discardableResult public func posix_spawn_file_actions_init(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>) -> Int32 { 0 }
    @discardableResult public func posix_spawn_file_actions_destroy(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>) -> Int32 { 0 }
    @discardableResult public func posix_spawn_file_actions_addopen(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>, _ file: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { 0 }
    @discardableResult public func posix_spawn_file_actions_adddup2(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>, _ file: Int32, _ number: Int32) -> Int32 { 0 }
    @discardableResult public func posix_spawnattr_init(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>) -> Int32 { 0 }
    @discardableResult public func posix_spawnattr_destroy(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>) -> Int32 { 0 }
    @discardableResult public func posix_spawnattr_setflags(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>, _ flags: Int16) -> Int32 { 0 }
    @discardableResult public func posix_spawnattr_setpgroup(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>, _ group: pid_t) -> Int32 { 0 }
    @discardableResult public func posix_spawnattr_setsigmask(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>, _ set: UnsafePointer<sigset_t>) -> Int32 { 0 }
    @discardableResult public func posix_spawnattr_setsigdefault(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>, _ set: UnsafePointer<sigset_t>) -> Int32 { 0 }
    @discardableResult public func posix_spawn(_ process: UnsafeMutablePointer<pid_t>?, _ path: UnsafePointer<CChar>, _ actions: UnsafePointer<posix_spawn_file_actions_t?>?, _ attributes: UnsafePointer<posix_spawnattr_t?>?, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>, _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 { 0 }
    @discardableResult public func posix_spawnp(_ process: UnsafeMutablePointer<pid_t>?, _ name: UnsafePointer<CChar>, _ actions: UnsafePointer<posix_spawn_file_actions_t?>?, _ attributes: UnsafePointer<posix_spawnattr_t?>?, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>, _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 { 0 }
    @discardableResult public func waitpid(_ process: pid_t, _ status: UnsafeMutablePointer<Int32>?, _ options: Int32) -> pid_t { 0 }
    @discardableResult public func usleep(_ microseconds: UInt32) -> Int32 { 0 }
    @discardableResult public func closedir(_ folder: DIR) -> Int32 { 0 }
    public func opendir(_ path: UnsafePointer<CChar>) -> DIR? { nil }
    public func readdir(_ folder: DIR) -> UnsafeMutablePointer<dirent>? { nil }
    public func strdup(_ text: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { nil }
    public func free(_ bytes: UnsafeMutableRawPointer!) {}
    public var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { UnsafeMutablePointer(bitPattern: 1)! }
#endif
