/// Numbers as bytes, the most significant first.
extension FixedWidthInteger {
    @inlinable package var bigEndianBytes: [UInt8] {
        withUnsafeBytes(of: bigEndian) { Array($0) }
    }

    /// - Parameter bytes: As many as the number has, or fewer.
    @inlinable package init(bigEndianBytes bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}
