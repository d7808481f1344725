package import PorticoBytes

/// Where bytes come from, a chunk at a time.
package protocol ByteSource {
    /// The next bytes, at most `limit`; none at the end.
    mutating func next(upTo limit: Int) throws(FileBytes.Refusal) -> [UInt8]
}

/// The rest of an open file, which stays open.
package struct FileSource: ByteSource {
    private let descriptor: Int32

    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    package func next(upTo limit: Int) throws(FileBytes.Refusal) -> [UInt8] {
        try FileBytes.next(descriptor, upTo: limit)
    }
}
