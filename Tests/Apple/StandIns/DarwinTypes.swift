// swift-format-ignore-file
// A structure whose name is also that of a function: in Swift that takes two modules.
public typealias time_t = Int
public typealias ino_t = UInt64
public typealias dev_t = Int32
public typealias uid_t = UInt32
public typealias off_t = Int64
public typealias mode_t = UInt16
public struct timespec { public var tv_sec: time_t = 0; public var tv_nsec = 0; public init() {} }
public struct stat {
    public var st_dev: dev_t = 0, st_ino: ino_t = 0, st_mode: mode_t = 0, st_uid: uid_t = 0, st_size: off_t = 0
    public var st_mtimespec = timespec()
    public init() {}
}
