import Crypto
package import PorticoBytes
package import PorticoSeals

/// A form's token, which proves that the form came from one of our pages in the same browser (OWASP
/// ASVS 3.5, RFC 6749 §10.12).
///
/// It is an HMAC over the pre-session cookie's random value, the form's purpose and its
/// transaction: another browser, form or transaction has another token. Nothing is stored on the
/// server.
package struct FormToken: Sendable {
    private let ring: KeyRing

    package init(ring: KeyRing) {
        self.ring = ring
    }

    /// A new value for the pre-session cookie: 32 random bytes, 43 characters.
    package static func cookie(random: RandomSource) -> String {
        random.text(32)
    }

    /// - Parameters:
    ///   - form: What the form does, a literal.
    ///   - transaction: What it acts on, for instance the authorization request's id.
    package func token(form: StaticString, transaction: String, cookie: String) -> String {
        let id = ring.activeID
        return Base64URL.encode(id.bytes + mac(form, transaction, cookie, id))
    }

    /// Whether `token` was made for this form, this transaction and this browser.
    package func isValid(
        _ token: String?,
        form: StaticString,
        transaction: String,
        cookie: String?
    ) -> Bool {
        guard let cookie, cookie.utf8.count == 43, let token, token.utf8.count == 48,
            let bytes = Base64URL.decode(token), let id = KeyRing.KeyID(bytes: bytes.prefix(4)),
            ring.contains(id)
        else { return false }
        return ConstantTime.equal(bytes.dropFirst(4), mac(form, transaction, cookie, id))
    }

    private func mac(
        _ form: StaticString,
        _ transaction: String,
        _ cookie: String,
        _ id: KeyRing.KeyID
    ) -> [UInt8] {
        guard let key = ring.derivedKey(purpose: "form token", from: id) else { return [] }
        var mac = HMAC<SHA256>(key: key)
        for field in [Array("\(form)".utf8), Array(transaction.utf8), Array(cookie.utf8)] {
            // Each field follows its length, so that no two lists of fields give the same bytes.
            mac.update(data: UInt32(clamping: field.count).bigEndianBytes)
            mac.update(data: field)
        }
        return Array(mac.finalize())
    }
}
