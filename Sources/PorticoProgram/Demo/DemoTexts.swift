import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStandIns

/// The DNS with the handles of a demo's host, which are in no other one.
struct DemoTexts: TextRecordResolver {
    let host: ATHost
    let otherwise: any TextRecordResolver

    func texts(at name: String) async throws(TextRecordError) -> [String] {
        guard let handle = name.dropping("_atproto."), host.isHandle(String(handle)) else {
            return try await otherwise.texts(at: name)
        }
        return host.texts[name] ?? []
    }
}

extension ATHost {
    func isHandle(_ name: String) -> Bool {
        name.utf8.reversed().starts(with: ".\(Self.domain)".utf8.reversed())
    }
}
