import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A claim and where it comes from, as `--claim` takes it and `portico client show` writes it.
struct ClaimSource {
    let source: ClaimMapper.Source

    /// - Throws: where `text` is none. What it names need not exist yet.
    init(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 4096, let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            throw Self.malformed(text)
        }
        let claim = String(decoding: bytes[..<equals], as: UTF8.self)
        let value = bytes[(equals + 1)...]
        let colon = value.firstIndex(of: UInt8(ascii: ":"))
        let kind = String(decoding: value[..<(colon ?? value.endIndex)], as: UTF8.self)
        let rest = colon.map { String(decoding: value[($0 + 1)...], as: UTF8.self) }
        switch (kind, rest) {
        case _ where claim.isEmpty: throw Self.malformed(text)
        case ("roles", nil): source = .realmRoles(claim: claim)
        case ("roles", let client?) where !client.isEmpty:
            source = .clientRoles(clientID: client, claim: claim)
        case ("attribute", let name?) where !name.isEmpty && name != "[]":
            let isMultivalued = name.utf8.suffix(2).elementsEqual("[]".utf8)
            source = .attribute(
                name: isMultivalued
                    ? String(decoding: name.utf8.dropLast(2), as: UTF8.self) : name,
                claim: claim,
                isMultivalued: isMultivalued
            )
        case ("value", let text?): source = .fixed(claim: claim, value: .string(text))
        default: throw Self.malformed(text)
        }
    }

    private static func malformed(_ text: String) -> Failure {
        Failure(
            .wrongValue,
            "\"\(printable(String(text.unicodeScalars.prefix(200))))\" is not a claim with source.",
            "Expected: NAME=roles, NAME=roles:CLIENT, NAME=attribute:NAME, NAME=attribute:NAME[] "
                + "or NAME=value:TEXT"
        )
    }
}

extension ClaimMapper.Source {
    /// The claim it writes; `nil` for an audience.
    var claim: String? {
        switch self {
        case .realmRoles(let claim), .clientRoles(_, let claim), .attribute(_, let claim, _),
            .fixed(let claim, _):
            claim
        case .audience: nil
        }
    }

    var audience: String? {
        guard case .audience(let audience) = self else { return nil }
        return audience
    }

    /// As `--claim` takes it, behind the claim's name.
    var text: String {
        switch self {
        case .realmRoles: "roles"
        case .clientRoles(let clientID, _): "roles:\(clientID)"
        case .attribute(let name, _, let isMultivalued):
            "attribute:\(name)\(isMultivalued ? "[]" : "")"
        case .fixed(_, let value):
            "value:" + (value.string ?? String(decoding: value.serialized(), as: UTF8.self))
        case .audience(let audience): audience
        }
    }
}
