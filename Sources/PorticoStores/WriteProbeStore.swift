/// Finds out whether what has to last can be written.
package protocol WriteProbeStore: Sendable {
    /// Writes, durably, about as much as the redemption of a code does, in place of what was written
    /// before.
    ///
    /// - Throws: What a redemption would fail with now: that the disk is full, for instance.
    func write(at now: Int64) async throws
}
