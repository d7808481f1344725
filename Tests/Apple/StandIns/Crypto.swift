// swift-format-ignore-file
// swift-crypto, which is CryptoKit on Apple's systems.
public import Foundation

public protocol Digest: Sequence, Hashable {}
public struct SHA256Digest: Digest, Sendable {
    public func makeIterator() -> IndexingIterator<[UInt8]> { [].makeIterator() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
}
public struct SHA512Digest: Sequence, Hashable, Sendable { public func makeIterator() -> IndexingIterator<[UInt8]> { [].makeIterator() } }
public protocol HashFunction {}
public struct SHA256: HashFunction {
    public typealias Digest = SHA256Digest
    public init() {}
    public mutating func update(data: some DataProtocol) {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> SHA256Digest { SHA256Digest() }
    public static func hash(data: some DataProtocol) -> SHA256Digest { SHA256Digest() }
}
public enum Insecure {
    public struct SHA1 { public static func hash(data: some DataProtocol) -> SHA256Digest { SHA256Digest() } }
}
public struct SHA384: HashFunction {}
public struct HMAC<Hash: HashFunction> {
    public static func authenticationCode(for data: some DataProtocol, using key: SymmetricKey) -> SHA512Digest { SHA512Digest() }
}
public struct SHA512: HashFunction { public static func hash(data: some DataProtocol) -> SHA512Digest { SHA512Digest() } }
public enum CryptoKitError: Error { case incorrectParameterSize }
public struct SymmetricKey: Sendable {
    public var bitCount: Int { 0 }
    public init(data: some ContiguousBytes) {}
}
public enum AES {
    public enum GCM {
        public struct SealedBox {
            public var combined: Data? { nil }
            public init(combined: some DataProtocol) throws {}
        }
        public static func seal(_ message: some DataProtocol, using key: SymmetricKey, nonce: Nonce? = nil, authenticating data: some DataProtocol) throws -> SealedBox { throw CryptoKitError.incorrectParameterSize }
        public static func open(_ box: SealedBox, using key: SymmetricKey, authenticating data: some DataProtocol) throws -> Data { throw CryptoKitError.incorrectParameterSize }
        public struct Nonce: Sendable {}
    }
}
public enum P256 {
    public enum Signing {
        public struct ECDSASignature: Sendable {
            public var rawRepresentation: Data { Data() }
            public init(rawRepresentation: some DataProtocol) throws {}
        }
        public struct PublicKey: Sendable {
            public var rawRepresentation: Data { Data() }
            public init(x963Representation: some ContiguousBytes) throws {}
            public init(rawRepresentation: some ContiguousBytes) throws {}
            public func isValidSignature(_ signature: ECDSASignature, for data: some DataProtocol) -> Bool { false }
            public func isValidSignature(_ signature: ECDSASignature, for digest: some Digest) -> Bool { false }
        }
        public struct PrivateKey: Sendable {
            public var rawRepresentation: Data { Data() }
            public let publicKey: PublicKey
            public init(rawRepresentation: some ContiguousBytes) throws { throw CryptoKitError.incorrectParameterSize }
            public func signature(for data: some DataProtocol) throws -> ECDSASignature { throw CryptoKitError.incorrectParameterSize }
        }
    }
}
public enum P384 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public var rawRepresentation: Data { Data() }
            public init(x963Representation: some ContiguousBytes) throws {}
        }
        public struct PrivateKey: Sendable {
            public let publicKey: PublicKey
            public init(rawRepresentation: some ContiguousBytes) throws { throw CryptoKitError.incorrectParameterSize }
        }
    }
}
public enum P521 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public var rawRepresentation: Data { Data() }
            public init(x963Representation: some ContiguousBytes) throws {}
        }
        public struct PrivateKey: Sendable {
            public let publicKey: PublicKey
            public init(rawRepresentation: some ContiguousBytes) throws { throw CryptoKitError.incorrectParameterSize }
        }
    }
}
public enum Curve25519 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public var rawRepresentation: Data { Data() }
            public init(rawRepresentation: some ContiguousBytes) throws {}
            public func isValidSignature(_ signature: some DataProtocol, for data: some DataProtocol) -> Bool { false }
        }
        public struct PrivateKey: Sendable {
            public var rawRepresentation: Data { Data() }
            public let publicKey: PublicKey
            public init(rawRepresentation: some ContiguousBytes) throws { throw CryptoKitError.incorrectParameterSize }
            public func signature(for data: some DataProtocol) throws -> Data { Data() }
        }
    }
}
