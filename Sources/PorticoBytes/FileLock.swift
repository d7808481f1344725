import PorticoSystem

/// An exclusive lock on a file at a path that all processes of this user share.
///
/// Uses `flock`, because its lock belongs to the opened file: it also separates two objects of one
/// process, and the system releases it when the process ends. The file is never removed: otherwise
/// two processes could hold the lock at once.
package enum FileLock {
    package enum Attempt {
        case taken(descriptor: Int32)
        case held
        case impossible(errno: Int32)
    }

    package static func attempt(_ path: String) -> Attempt {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return .impossible(errno: errno) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let reason = errno
            if reason == EINTR { continue }
            _ = close(descriptor)
            return reason == EWOULDBLOCK ? .held : .impossible(errno: reason)
        }
        return .taken(descriptor: descriptor)
    }

    package static func release(_ descriptor: Int32) {
        // Closing the only descriptor of the opened file releases the lock.
        _ = close(descriptor)
    }
}
