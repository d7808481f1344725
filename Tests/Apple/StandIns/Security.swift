// swift-format-ignore-file
public import Foundation

public final class SecKey {}
public struct SecKeyAlgorithm: Hashable, Sendable {
    let name: String
    public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm(name: "PKCS1v15")
    public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm(name: "PSS")
}
public let kSecAttrKeyType: CFString = "type", kSecAttrKeyTypeRSA: CFString = "42"
public let kSecAttrKeyClass: CFString = "kcls", kSecAttrKeyClassPublic: CFString = "0", kSecAttrKeyClassPrivate: CFString = "1"
public let kSecAttrKeySizeInBits: CFString = "bsiz"
public typealias SecError = UnsafeMutablePointer<Unmanaged<CFError>?>
public func SecKeyVerifySignature(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ data: CFData, _ signature: CFData, _ error: SecError?) -> Bool { false }
public func SecKeyCreateSignature(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ data: CFData, _ error: SecError?) -> CFData? { nil }
public func SecKeyCreateRandomKey(_ parameters: CFDictionary, _ error: SecError?) -> SecKey? { nil }
public func SecKeyCreateWithData(_ data: CFData, _ attributes: CFDictionary, _ error: SecError?) -> SecKey? { nil }
public func SecKeyCopyExternalRepresentation(_ key: SecKey, _ error: SecError?) -> CFData? { nil }
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { nil }
