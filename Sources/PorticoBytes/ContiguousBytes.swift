/// Runs `body` on the bytes of a collection where they lie, or on a copy where they lie apart.
///
/// Code behind this is compiled once, for bytes in a row: a generic one is many times slower where
/// the compiler does not specialise it.
package func withBytes<Result>(
    of collection: some Collection<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
) rethrows -> Result {
    if let result = try collection.withContiguousStorageIfAvailable(body) { return result }
    return try Array(collection).withUnsafeBufferPointer(body)
}
