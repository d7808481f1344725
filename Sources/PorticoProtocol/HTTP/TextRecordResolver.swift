/// Looks TXT records of the DNS up (RFC 1035 §3.3.14).
package protocol TextRecordResolver: Sendable {
    /// The texts at a name, each with its strings joined; those that are not ASCII left out.
    ///
    /// Bounded: 64 records of 4,096 bytes, and 5 seconds.
    ///
    /// - Parameter name: Absolute, without the dot at its end, at most 253 bytes.
    /// - Returns: Empty where the name does not exist, or has no such record.
    func texts(at name: String) async throws(TextRecordError) -> [String]
}

/// Why nothing is known about the TXT records of a name.
package enum TextRecordError: Error, Hashable, Sendable {
    /// No name server answers, or it answers that it could not find out.
    case unreachable
    /// The answer is not well-formed, or is larger than allowed.
    case malformed
    /// Too many names are being looked up. No server was asked.
    case busy
}
