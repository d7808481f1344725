import PorticoBytes
import PorticoStores

/// The part of a seal that says by which app's grant a sign-in was handed on.
extension ByteWriter {
    mutating func derivation(_ derivation: Derivation) {
        fixed(derivation.parentID.bytes)
        sized(derivation.loginTokenID?.bytes ?? [])
    }
}

extension ByteReader {
    mutating func derivation() throws(Malformed) -> Derivation {
        guard let parentID = UniqueID(bytes: try fixed(16)) else { throw Malformed() }
        return Derivation(parentID: parentID, loginTokenID: UniqueID(bytes: try sized()))
    }
}
