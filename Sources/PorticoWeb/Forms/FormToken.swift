import Crypto
package import HTTPTypes
package import PorticoBytes
import PorticoProtocol
package import PorticoSeals

/// The token in a form that proves the form came from a page of ours in the same browser (OWASP
/// ASVS 3.5, RFC 6749 §10.12).
///
/// It is an HMAC over the pre-session cookie's random value, the form's purpose and the transaction
/// it belongs to: another browser, another form or another transaction has another token. Nothing
/// is kept on the server.
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
    ///   - transaction: What it does it to, for instance the authorization request's id.
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
            // Each after its length, so that no two lists of fields give the same bytes.
            mac.update(data: UInt32(clamping: field.count).bigEndianBytes)
            mac.update(data: field)
        }
        return Array(mac.finalize())
    }
}

/// Where a request comes from, as the browser says (Fetch Metadata §2.3).
package enum FetchSite {
    private static let name = HTTPField.Name("Sec-Fetch-Site")

    /// Whether a form post may be ours: `Sec-Fetch-Site`, when present, must be `same-origin`.
    ///
    /// `Origin` is not asked for: with `Referrer-Policy: no-referrer` our own forms send
    /// `Origin: null`.
    package static func permitsPost(_ headers: HTTPFields) -> Bool {
        guard let name else { return false }
        let sites = headers[values: name]
        return sites.isEmpty || sites == ["same-origin"]
    }

    /// Whether a form post was sent by a page that is not ours: then the browser keeps our cookies
    /// back, because they are `SameSite=Lax`, and would still take new ones in their place.
    ///
    /// - Parameter address: One of ours. What comes without `Sec-Fetch-Site`, as older browsers send
    ///   it, is told by its `Origin`.
    package static func isForeignPost(_ headers: HTTPFields, to address: String) -> Bool {
        guard permitsPost(headers) else { return true }
        let isSaid = name.map { !headers[values: $0].isEmpty } ?? false
        let origins = headers[values: .origin]
        guard !isSaid, !origins.isEmpty else { return false }
        guard origins.count == 1, let origin = HTTPAddress(origins[0])?.origin,
            let ours = HTTPAddress(address)?.origin
        else { return true }
        return !sameBytes(origin, ours)
    }
}
