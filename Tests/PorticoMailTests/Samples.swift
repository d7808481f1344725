import Foundation
import PorticoBytes
import PorticoMail

/// A mail that nothing is wrong with, of which each test changes one thing.
func sample(
    from: String = "Portico <portico@example.com>",
    to: String = "ann@example.net",
    subject: String = "Your code",
    lines: [String] = ["Your code is:", "", "123456", "", "It is good for 10 minutes."],
    language: String = "en"
) throws -> Mail {
    try Mail(
        from: MailSender(from),
        to: to,
        subject: subject,
        lines: lines,
        language: language,
        id: id,
        date: 1_795_298_400
    )
}

/// Sends a mail and says what came of it.
func outcome(of mail: Mail, over transport: any MailTransport) async -> DeliveryFailure? {
    do throws(DeliveryFailure) {
        try await transport.send(mail)
        return nil
    } catch {
        return error
    }
}

private let id: UniqueID =
    UniqueID("0190a0b0-c0d0-7000-8000-000000000001") ?? .init(random: .system)

let arabicSubject = "رمز التأكيد الخاص بك لتسجيل الدخول إلى حسابك في هذه الخدمة"
let arabicLines = ["رمز التأكيد الخاص بك:", "", "123456", "", "https://id.example.com/a?b=c&d=e"]

/// The bytes of a mail in pieces, read by rules of this file's own and not the writer's.
struct ParsedMail {
    let headers: [(name: String, value: String)]
    let parts: [(type: String, text: String)]

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let halves = text.components(separatedBy: "\r\n\r\n")
        headers = Self.fields(halves[0])
        let boundary =
            headers.first { $0.name == "Content-Type" }?.value
            .components(separatedBy: "boundary=\"").last?.dropLast() ?? ""
        let pieces = text.components(separatedBy: "\r\n--\(boundary)").dropFirst()
        parts = pieces.compactMap { piece in
            guard let end = piece.range(of: "\r\n\r\n") else { return nil }
            let fields = Self.fields(String(piece[..<end.lowerBound].dropFirst()))
            let body = String(piece[end.upperBound...])
            let encoding = fields.first { $0.name == "Content-Transfer-Encoding" }?.value
            let type = fields.first { $0.name == "Content-Type" }?.value ?? ""
            return (type, encoding == "base64" ? Self.base64(body) : Self.quotedPrintable(body))
        }
    }

    func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    private static func fields(_ head: String) -> [(name: String, value: String)] {
        head.replacingOccurrences(of: "\r\n ", with: " ").components(separatedBy: "\r\n")
            .compactMap { line in
                line.range(of: ": ").map {
                    (String(line[..<$0.lowerBound]), String(line[$0.upperBound...]))
                }
            }
    }

    private static func base64(_ body: String) -> String {
        let joined = body.replacingOccurrences(of: "\r\n", with: "")
        return Data(base64Encoded: joined).map { String(decoding: $0, as: UTF8.self) } ?? "(broken)"
    }

    private static func quotedPrintable(_ body: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(body.replacingOccurrences(of: "=\r\n", with: "").utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            bytes.append(UInt8(digits, radix: 16) ?? UInt8(ascii: "?"))
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Encoded words of one value, joined (RFC 2047 §6.2).
    static func decoded(_ value: String) -> String {
        value.components(separatedBy: " ").map { word in
            guard word.hasPrefix("=?UTF-8?B?"), word.hasSuffix("?=") else { return word }
            return base64(String(word.dropFirst(10).dropLast(2)))
        }.joined()
    }
}
