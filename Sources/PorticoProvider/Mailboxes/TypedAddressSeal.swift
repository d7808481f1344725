import PorticoBytes
import PorticoSeals

/// Seals an address typed into the sign-in form, for the link to the next page, where it must not
/// be readable.
struct TypedAddressSeal: Sendable {
    private let seal: Seal

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "typed address", realm: realmID)
    }

    func seal(_ address: String, at moment: Moment) -> String {
        seal.seal(Array(address.utf8), at: moment.now, random: moment.random)
    }

    func open(_ text: String?, at moment: Moment) -> String? {
        guard let text else { return nil }
        // `try?`: without it, the person types the address again.
        let bytes = try? seal.open(text, at: moment.now, within: 86_400, maximumLength: 1000)
        return bytes.flatMap { String(validating: $0, as: UTF8.self) }
    }
}
