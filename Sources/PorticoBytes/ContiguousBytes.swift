/// Calls `body` with the bytes of a collection in place, or with a copy if they are not contiguous.
///
/// The code that uses the bytes is then compiled once, for contiguous bytes: generic code is many
/// times slower unless the compiler specialises it.
package func withBytes<Result>(
    of collection: some Collection<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
) rethrows -> Result {
    if let result = try collection.withContiguousStorageIfAvailable(body) { return result }
    return try Array(collection).withUnsafeBufferPointer(body)
}
