// On Apple systems: RSA by `SecKey`, so that an app does not link a second crypto library.
#if canImport(Security)
    import Foundation
    import Security

    /// An RSA public key, already checked to be strong enough.
    ///
    /// A `SecKey` is immutable and may be used from any thread.
    struct RSAPublicKey: @unchecked Sendable {
        private let key: SecKey

        init(modulus: [UInt8], exponent: [UInt8]) throws(JWKError) {
            let der = PKCS1.publicKey(modulus: modulus, exponent: exponent)
            guard let key = secKey(der, kSecAttrKeyClassPublic) else { throw .weakKey }
            self.key = key
        }

        func isValid(_ signature: [UInt8], for message: ArraySlice<UInt8>, padding: RSAPadding)
            -> Bool
        {
            SecKeyVerifySignature(
                key,
                padding.algorithm,
                Data(message) as CFData,
                Data(signature) as CFData,
                nil
            )
        }
    }

    /// An RSA private key.
    struct RSAPrivateKey: @unchecked Sendable {
        private let key: SecKey
        /// PKCS#1.
        let der: [UInt8]

        /// - Parameter der: PKCS#1 or PKCS#8.
        init(der: [UInt8]) throws(JWKError) {
            let inner = PKCS1.privateKey(fromPKCS8: der) ?? der
            guard let key = secKey(inner, kSecAttrKeyClassPrivate) else { throw .invalidPrivateKey }
            self.key = key
            self.der = inner
        }

        /// A new key of 2048 bits.
        init() throws(JWKError) {
            let attributes: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeRSA,
                kSecAttrKeySizeInBits: 2048,
            ]
            guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, nil),
                let der = SecKeyCopyExternalRepresentation(key, nil)
            else {
                throw .invalidPrivateKey
            }
            self.key = key
            self.der = Array(der as Data)
        }

        func publicParameters() throws(JWKError) -> JWK.Parameters {
            guard let publicKey = SecKeyCopyPublicKey(key),
                let der = SecKeyCopyExternalRepresentation(publicKey, nil),
                let (modulus, exponent) = PKCS1.numbers(ofPublicKey: Array(der as Data))
            else {
                throw .invalidPrivateKey
            }
            return .rsa(modulus: modulus, exponent: exponent)
        }

        func signature(for message: [UInt8], padding: RSAPadding) throws -> [UInt8] {
            guard
                let signature = SecKeyCreateSignature(
                    key,
                    padding.algorithm,
                    Data(message) as CFData,
                    nil
                )
            else {
                throw JOSEError.signingFailed
            }
            return Array(signature as Data)
        }
    }

    /// - Parameter der: PKCS#1, the only form that `SecKey` reads.
    private func secKey(_ der: [UInt8], _ keyClass: CFString) -> SecKey? {
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeRSA,
            kSecAttrKeyClass: keyClass,
        ]
        return SecKeyCreateWithData(Data(der) as CFData, attributes as CFDictionary, nil)
    }

    extension RSAPadding {
        fileprivate var algorithm: SecKeyAlgorithm {
            switch self {
            case .pkcs1: .rsaSignatureMessagePKCS1v15SHA256
            case .pss: .rsaSignatureMessagePSSSHA256
            }
        }
    }
#endif
