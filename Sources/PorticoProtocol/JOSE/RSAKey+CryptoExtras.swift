// On systems without `Security`: RSA by CryptoExtras.
#if !canImport(Security)
    import Crypto
    import CryptoExtras

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// An RSA public key, already checked to be strong enough.
    struct RSAPublicKey: Sendable {
        private let key: _RSA.Signing.PublicKey

        init(modulus: [UInt8], exponent: [UInt8]) throws(JWKError) {
            do {
                key = try _RSA.Signing.PublicKey(n: modulus, e: exponent)
            } catch {
                throw .weakKey
            }
        }

        func isValid(_ signature: [UInt8], for message: ArraySlice<UInt8>, padding: RSAPadding)
            -> Bool
        {
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: Data(signature)),
                for: message,
                padding: padding.value
            )
        }
    }

    /// An RSA private key.
    struct RSAPrivateKey: Sendable {
        private let key: _RSA.Signing.PrivateKey

        /// - Parameter der: PKCS#1 or PKCS#8.
        init(der: [UInt8]) throws(JWKError) {
            do {
                key = try _RSA.Signing.PrivateKey(derRepresentation: der)
            } catch {
                throw .invalidPrivateKey
            }
        }

        /// A new key of 2048 bits.
        init() throws(JWKError) {
            do {
                key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            } catch {
                throw .invalidPrivateKey
            }
        }

        /// PKCS#1.
        var der: [UInt8] { Array(key.derRepresentation) }

        func publicParameters() throws(JWKError) -> JWK.Parameters {
            do {
                let primitives = try key.publicKey.getKeyPrimitives()
                return .rsa(
                    modulus: Array(primitives.modulus),
                    exponent: Array(primitives.publicExponent)
                )
            } catch {
                throw .invalidPrivateKey
            }
        }

        func signature(for message: [UInt8], padding: RSAPadding) throws -> [UInt8] {
            Array(try key.signature(for: message, padding: padding.value).rawRepresentation)
        }
    }

    extension RSAPadding {
        fileprivate var value: _RSA.Signing.Padding {
            switch self {
            case .pkcs1: .insecurePKCS1v1_5
            case .pss: .PSS
            }
        }
    }
#endif
