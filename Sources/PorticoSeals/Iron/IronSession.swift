package import PorticoBytes
package import PorticoProtocol

/// Seals as the library iron-session keeps them in cookies: a seal of ``Iron`` and, after `~`, the
/// version of what is sealed.
package struct IronSession: Sendable {
    private let iron: Iron
    /// The object itself is sealed. Before, it was the member `persistent` of what is.
    private static let version = "2"

    package init(_ passwords: IronPasswords) {
        iron = Iron(passwords)
    }

    /// - Parameters:
    ///   - seconds: Until the seal expires; 0 if it does not.
    ///   - milliseconds: Since 1970.
    /// - Throws: As ``Iron/seal(_:lifetime:at:random:)``.
    package func seal(
        _ object: JSONObject,
        seconds: Int64,
        at milliseconds: Int64,
        random: RandomSource
    ) throws(IronError) -> String {
        let (lifetime, isTooLarge) = seconds.multipliedReportingOverflow(by: 1000)
        guard !isTooLarge else { throw .expiration }
        let seal = try iron.seal(object, lifetime: lifetime, at: milliseconds, random: random)
        return "\(seal)~\(Self.version)"
    }

    /// - Parameters:
    ///   - cookie: The value as received, percent-encoded or not.
    ///   - milliseconds: Since 1970.
    /// - Throws: As ``Iron/open(_:at:)``; expired, mac and password tell apart what
    ///   ``compatible(_:at:)`` does not.
    package func open(_ cookie: String, at milliseconds: Int64) throws(IronError) -> Iron.Opened {
        // Longer than any seal, even if each of its stars and the tilde is escaped.
        guard cookie.utf8.count <= Iron.longest + 18 else { throw .tooLong }
        // A seal has no percent sign.
        guard let bytes = Hexadecimal.percentDecoded(cookie.utf8) else { throw .components }
        let end = bytes.firstIndex(of: UInt8(ascii: "~")) ?? bytes.endIndex
        let opened = try iron.open(Array(bytes[..<end]), at: milliseconds)
        if bytes[end...].dropFirst().elementsEqual(Self.version.utf8) { return opened }
        return Iron.Opened(
            object: opened.object.object("persistent") ?? [:],
            expiresAt: opened.expiresAt,
            passwordID: opened.passwordID
        )
    }

    /// As iron-session answers: an empty object for a cookie that is expired, changed, of an unknown
    /// password, or no seal.
    ///
    /// - Throws: What else ``open(_:at:)`` throws.
    package func compatible(_ cookie: String, at milliseconds: Int64) throws(IronError)
        -> JSONObject
    {
        do throws(IronError) {
            return try open(cookie, at: milliseconds).object
        } catch {
            guard [.expired, .mac, .password, .components].contains(error) else { throw error }
            return [:]
        }
    }
}
