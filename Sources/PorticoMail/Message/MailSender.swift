/// The sender of a mail: an address, and an optional name (RFC 5322 §3.4).
package struct MailSender: Hashable, Sendable {
    package let name: String?
    package let address: MailAddress

    package enum Refusal: Error, Hashable, Sendable {
        case address(MailAddress.Refusal)
        /// Empty, too long, or with a character that could be misread.
        case name
    }

    /// - Parameter text: `portico@example.com`, or `Example Team <portico@example.com>`.
    package init(_ text: String) throws(Refusal) {
        var address = text
        var name: String?
        if text.utf8.last == UInt8(ascii: ">"),
            let open = text.utf8.lastIndex(of: UInt8(ascii: "<"))
        {
            address = String(text[text.utf8.index(after: open)...].dropLast())
            name = String(text[..<open].drop { $0 == " " })
            while name?.last == " " { name?.removeLast() }
        }
        try self.init(name: name, address: address)
    }

    package init(name: String?, address: String) throws(Refusal) {
        if let name {
            guard !name.isEmpty, name.utf8.count <= 128, PlainLine.isPlain(name),
                !name.contains(where: { "<>@\"\\".contains($0) })
            else { throw .name }
        }
        self.name = name
        do {
            self.address = try MailAddress(address)
        } catch {
            throw .address(error)
        }
    }
}
