import PorticoBytes

extension Mail {
    /// The mail as sent: headers, a plain part and the same text in HTML, lines ending in CRLF (RFC
    /// 5322 §2, RFC 2046 §5.1.4). SMTP itself doubles a full stop at the start of a line.
    package var bytes: [UInt8] {
        // "=_" is in no quoted-printable or base64 text (RFC 2045 §6.7).
        let boundary = "=_portico_\(id.text)"
        let isRightToLeft = PlainLine.isRightToLeft(language)
        let html = HTMLText(subject: subject, lines: lines, language: language, isRightToLeft)
        return header(boundary)
            + part("text/plain", lines.joined(separator: "\r\n") + "\r\n", boundary)
            + part("text/html", html.text, boundary)
            + Array("--\(boundary)--\r\n".utf8)
    }

    private func header(_ boundary: String) -> [UInt8] {
        let fields = [
            "Date: \(MailDate.text(date))",
            "From: \(fromValue)",
            "To: \(to.text)",
            "Message-ID: \(messageID)",
            "Subject: " + EncodedWord.unstructured(subject, after: 9),
            // Automatic replies are not wanted (RFC 3834 §5).
            "Auto-Submitted: auto-generated",
            "Content-Language: \(language)",
            "MIME-Version: 1.0",
            "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"",
        ]
        return Array((fields.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private var fromValue: String {
        guard let name = from.name else { return from.address.text }
        return EncodedWord.phrase(name, after: 6) + "\r\n <\(from.address.text)>"
    }

    private func part(_ type: String, _ text: String, _ boundary: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        let encoding = TransferEncoding(for: bytes)
        let head = [
            "--\(boundary)",
            "Content-Type: \(type); charset=utf-8",
            "Content-Transfer-Encoding: \(encoding.rawValue)",
            "", "",
        ]
        return Array(head.joined(separator: "\r\n").utf8) + encoding.encode(bytes)
    }
}
