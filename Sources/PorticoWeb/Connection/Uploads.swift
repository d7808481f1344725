import NIOCore
import PorticoBytes
import PorticoSystem

/// Bodies that are longer than ``ConnectionLimits/body``, at the rows that take them, from whom the row
/// lets in by the request's head (docs/decisions/0068).
package struct Uploads: Sendable {
    /// Bytes of one; more is 413.
    let bytes: Int
    let places: UploadPlaces
    /// Makes the file of one, open for reading and writing; `nil` where that fails.
    var file: @Sendable () -> Int32?

    /// Bytes of one that stay in memory. Of a longer one all are in a file.
    package static let held = 1024 * 1024
    /// Bytes that are written at once.
    static let portion = 256 * 1024
    /// Bytes a second, on the average and from the first one on: a phone with a bad connection sends as
    /// many. Who sends fewer is as slow as who takes longer than ``ConnectionLimits/bodyTime`` for a
    /// short body. The same for who reads a long answer (``UnreadAnswer``).
    static let slowest: Int64 = 16 * 1024
    /// So many of the longest ones fit onto the disk.
    private static let stored = 20

    /// - Parameter folder: Ours alone. A file has a name there only while it is being opened, and only
    ///   where the file system has none without.
    package init(bytes: Int, folder: String) {
        self.bytes = bytes
        places = UploadPlaces(room: Self.stored * bytes)
        file = { Self.nameless(in: folder) ?? Self.named(in: folder) }
    }

    /// A file that never has a name (open(2), `O_TMPFILE`): nothing of it stays, however the process ends.
    ///
    /// - Returns: `nil` where the file system has no such files.
    static func nameless(in folder: String) -> Int32? {
        #if os(Linux)
            // The last one is what makes it one, on x86 and ARM; Swift does not know its name.
            let flags = O_RDWR | O_EXCL | O_CLOEXEC | O_DIRECTORY | 0o20_000_000
            let file = open(folder, flags, 0o600)
            return file >= 0 ? file : nil
        #else
            return nil
        #endif
    }

    static func named(in folder: String) -> Int32? {
        let path = "\(folder)/upload-\(RandomSource.system.text(16))"
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return nil }
        guard unlink(path) == 0 else {
            close(file)
            return nil
        }
        return file
    }

    /// The bytes on the disk of a body that announces its length. Of others they are counted as they
    /// come.
    func stored(of length: Int?) -> Int {
        guard let length, length > Self.held else { return 0 }
        return length
    }

    /// Waits for the disk.
    ///
    /// - Returns: The file of the upload, with these bytes at its end; `nil` without room for them.
    func store(_ bytes: ByteBuffer, of upload: ArrivingUpload) -> SpooledBody? {
        guard upload.isCounted || upload.place.take(bytes.readableBytes),
            let spool = upload.spool ?? file().map({ SpooledBody($0, upload.place) })
        else { return nil }
        return spool.append(bytes) ? spool : nil
    }
}

/// Who sends a long body, as far as the row lets them in; `nil`: it does not.
package typealias UploadCheck = @Sendable () async -> String?

/// What became of a body that is longer than others.
package enum Upload: Sendable {
    /// It is the request's `body`.
    case held(UploadPlaces.Place)
    /// It is here; the request's `body` is empty.
    case stored(SpooledBody)
    /// There is none: the responder must refuse the request.
    case unread(Unread)

    package enum Unread: Error, Hashable, Sendable {
        /// The row did not let them in.
        case notAdmitted
        /// The account has as many others as it may.
        case tooMany
        /// All have as many as they may, or the account has its part of the disk, or that is full.
        case full
    }
}

/// A long body while it arrives.
struct ArrivingUpload: Sendable {
    let place: UploadPlaces.Place
    /// `nil` while all of it is in memory.
    var spool: SpooledBody?
    /// When the peer could send its first byte; later, by what it has waited for us since.
    var start: NIODeadline
    /// Whether its place has room for all of it.
    var isCounted = false

    /// Until when more has to be here.
    ///
    /// - Parameters:
    ///   - received: Bytes of the body so far.
    ///   - now: When the last of them came, or the peer had to wait for us no longer.
    func deadline(after received: Int, at now: NIODeadline, _ limits: ConnectionLimits)
        -> NIODeadline
    {
        let average =
            start + limits.bodyTime + .milliseconds(Int64(received) * 1000 / Uploads.slowest)
        // Who has sent much at once may be silent no longer than others.
        return min(average, now + limits.bodyTime)
    }

    /// Whether these are too many bytes for the memory.
    func mustStore(_ bytes: Int) -> Bool {
        bytes > (spool == nil ? Uploads.held : Uploads.portion)
    }
}
