import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A claim and where it comes from, as `--claim` takes it and `portico client show` writes it.
struct ClaimSource {
    /// Of the top level: a dot in it does not nest.
    let claim: String
    let kind: ClaimMapper.Kind
    let isMultivalued: Bool

    /// - Throws: where `text` is none. What it names need not exist yet.
    init(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 4096, let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            throw Self.malformed(text)
        }
        claim = String(decoding: bytes[..<equals], as: UTF8.self)
        let value = bytes[(equals + 1)...]
        let colon = value.firstIndex(of: UInt8(ascii: ":"))
        let word = String(decoding: value[..<(colon ?? value.endIndex)], as: UTF8.self)
        let rest = colon.map { String(decoding: value[($0 + 1)...], as: UTF8.self) }
        switch (word, rest) {
        case _ where claim.isEmpty: throw Self.malformed(text)
        case ("roles", nil): (kind, isMultivalued) = (.realmRoles(prefix: ""), true)
        case ("roles", let client?) where !client.isEmpty:
            (kind, isMultivalued) = (.clientRoles(of: client, prefix: ""), true)
        case ("attribute", let name?) where !name.isEmpty && name != "[]":
            isMultivalued = name.utf8.suffix(2).elementsEqual("[]".utf8)
            kind = .attribute(
                isMultivalued ? String(decoding: name.utf8.dropLast(2), as: UTF8.self) : name,
                aggregates: false
            )
        case ("value", let text?): (kind, isMultivalued) = (.fixedClaim(.string(text)), false)
        default: throw Self.malformed(text)
        }
    }

    func mapper(id: String) -> ClaimMapper {
        ClaimMapper(
            id: id,
            name: claim,
            kind: kind,
            claim: ClaimPath(names: [claim]),
            isMultivalued: isMultivalued,
            targets: ClaimMapper.Targets.usual
        )
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

extension ClaimMapper {
    /// The claim of the top level that it writes.
    var topClaim: String? {
        claim.flatMap { $0.names.count == 1 ? $0.root : nil }
    }

    var audience: String? {
        guard case .audience(let audience) = kind else { return nil }
        return audience
    }

    /// As `--claim` takes it, behind the claim's name; `nil` where that has no word for it.
    var source: String? {
        switch kind {
        case .realmRoles(prefix: "") where isMultivalued: "roles"
        case .clientRoles(of: let client?, prefix: "") where isMultivalued: "roles:\(client)"
        case .attribute(let name, aggregates: false) where type == .text:
            "attribute:\(name)\(isMultivalued ? "[]" : "")"
        case .fixedClaim(let value):
            "value:" + (value.string ?? String(decoding: value.serialized(), as: UTF8.self))
        default: nil
        }
    }
}
