import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// Password hashes as Keycloak writes them in its realm files, `credentials[]` of type `password`.
package enum KeycloakHash {
    /// The hash of a credential, in its form of today (`secretData` and `credentialData`, each JSON
    /// in a text) or the one from before Keycloak 8 (`hashedSaltedValue`, `salt`, `hashIterations`,
    /// `algorithm`).
    ///
    /// - Returns: `nil` if it has none: it may hold the password itself in `value`.
    package static func hash(of credential: JSONObject) throws(KeycloakHashError) -> PasswordHash? {
        if credential["secretData"] != nil || credential["credentialData"] != nil {
            guard let secret = credential.string("secretData") else {
                throw KeycloakHashError("secretData", .unreadable)
            }
            guard let data = credential.string("credentialData") else {
                throw KeycloakHashError("credentialData", .unreadable)
            }
            return try hash(secretData: secret, credentialData: data)
        }
        guard credential["hashedSaltedValue"] != nil else { return nil }
        return try hash(
            value: Field("hashedSaltedValue", of: credential),
            salt: Field("salt", of: credential),
            credential,
            in: ""
        )
    }

    /// - Parameters: The texts of the members of that name.
    package static func hash(secretData: String, credentialData: String)
        throws(KeycloakHashError) -> PasswordHash
    {
        let secret = try object(secretData, "secretData")
        let data = try object(credentialData, "credentialData")
        return try hash(
            value: Field("value", of: secret, in: "secretData."),
            salt: Field("salt", of: secret, in: "secretData."),
            data,
            in: "credentialData."
        )
    }

    package typealias Texts = (secretData: String, credentialData: String)

    /// The texts of `secretData` and `credentialData` for a hash, which Keycloak can verify; `nil` for one
    /// that cannot be read.
    package static func texts(of hash: PasswordHash) -> Texts? {
        let salt: [UInt8]
        let value: [UInt8]
        let data: JSONObject
        switch StoredHash(hash) {
        case .argon2(let hash):
            (salt, value) = (hash.salt, hash.value)
            data = [
                "hashIterations": .integer(Int64(hash.passes)), "algorithm": "argon2",
                "additionalParameters": [
                    "hashLength": [.string("\(value.count)")],
                    "memory": [.string("\(hash.memoryKiB)")],
                    "type": [.string(String(hash.kind.rawValue.dropFirst("argon2".utf8.count)))],
                    "version": [hash.version == .v13 ? "1.3" : "1.0"],
                    "parallelism": [.string("\(hash.lanes)")],
                ],
            ]
        case .pbkdf2(let hash):
            (salt, value) = (hash.salt, hash.value)
            data = [
                "hashIterations": .integer(Int64(hash.iterations)),
                "algorithm": .string(hash.digest.rawValue), "additionalParameters": [:],
            ]
        case nil: return nil
        }
        let secret: JSONObject = [
            "value": .string(Base64.encode(value)), "salt": .string(Base64.encode(salt)),
            "additionalParameters": [:],
        ]
        return (secret.text, data.text)
    }
}

/// Why a password's hash cannot be taken over.
package struct KeycloakHashError: Error, Hashable, Sendable {
    /// The member, from the credential on: `credentialData.hashIterations`.
    package let field: String
    package let reason: Reason

    package enum Reason: Sendable {
        /// It is missing, or is not what this member must be.
        case unreadable
        /// No such algorithm, type or version is known here.
        case unknown
        /// It is out of the bounds of ``StoredHash``: verifying would cost too much, or prove too
        /// little.
        case outOfBounds
        /// It is not the length of the hash.
        case doesNotFit
    }

    init(_ field: String, _ reason: Reason) {
        self.field = field
        self.reason = reason
    }
}

extension KeycloakHashError: CustomStringConvertible {
    package var description: String { "\(field): \(words)" }

    /// A literal, so that it holds nothing of the credential.
    package var words: StaticString {
        switch reason {
        case .unreadable: "It is missing, or not what this member must be."
        case .unknown: "It is not known here."
        case .outOfBounds: "It is out of bounds: the hash would cost too much, or prove too little."
        case .doesNotFit: "It is not the length of the hash."
        }
    }
}

extension KeycloakHash {
    /// A member with its name from the credential on.
    private struct Field {
        let name: String
        let value: JSONValue?

        init(_ member: String, of object: JSONObject, in path: String = "") {
            name = path + member
            value = object[member]
        }

        func bytes() throws(KeycloakHashError) -> [UInt8] {
            guard let text = value?.string, let bytes = Base64.decode(text.utf8) else {
                throw KeycloakHashError(name, .unreadable)
            }
            return bytes
        }

        /// A parameter is an array of one text.
        func parameter() throws(KeycloakHashError) -> String {
            guard let text = value?.strings?.first ?? value?.string else {
                throw KeycloakHashError(name, .unreadable)
            }
            return text
        }

        func number() throws(KeycloakHashError) -> UInt32 {
            let text = try parameter()
            guard text.utf8.count <= 10, let number = UInt32(text) else {
                throw KeycloakHashError(name, .unreadable)
            }
            return number
        }
    }

    private static func object(_ text: String, _ field: String) throws(KeycloakHashError)
        -> JSONObject
    {
        do {
            return try JSONObject(parsing: text.utf8, limits: .foreign(size: 4096, depth: 8))
        } catch {
            throw KeycloakHashError(field, .unreadable)
        }
    }

    /// - Parameter path: Of `data`, with a period at its end.
    private static func hash(value: Field, salt: Field, _ data: JSONObject, in path: String)
        throws(KeycloakHashError) -> PasswordHash
    {
        let algorithm = Field("algorithm", of: data, in: path)
        let rounds = Field("hashIterations", of: data, in: path)
        guard let name = algorithm.value?.string else {
            throw KeycloakHashError(algorithm.name, .unreadable)
        }
        guard let number = rounds.value?.int64 else {
            throw KeycloakHashError(rounds.name, .unreadable)
        }
        guard let iterations = UInt32(exactly: number) else {
            throw KeycloakHashError(rounds.name, .outOfBounds)
        }
        let hash: StoredHash
        if let digest = PBKDF2Hash.Digest(wire: name) {
            hash = .pbkdf2(
                PBKDF2Hash(
                    digest: digest,
                    iterations: iterations,
                    salt: try salt.bytes(),
                    value: try value.bytes()
                )
            )
        } else if sameBytes(name, "argon2") {
            hash = .argon2(
                try argon2(try value.bytes(), try salt.bytes(), passes: iterations, data, in: path)
            )
        } else {
            throw KeycloakHashError(algorithm.name, .unknown)
        }
        let parameters = "\(path)\(Self.parameters(of: data))."
        switch hash.outOfBounds {
        case nil: return hash.encoded
        case .salt: throw KeycloakHashError(salt.name, .outOfBounds)
        case .value: throw KeycloakHashError(value.name, .outOfBounds)
        case .rounds: throw KeycloakHashError(rounds.name, .outOfBounds)
        case .memory: throw KeycloakHashError(parameters + "memory", .outOfBounds)
        case .lanes: throw KeycloakHashError(parameters + "parallelism", .outOfBounds)
        }
    }

    private static func argon2(
        _ value: [UInt8],
        _ salt: [UInt8],
        passes: UInt32,
        _ data: JSONObject,
        in path: String
    ) throws(KeycloakHashError) -> Argon2Hash {
        let name = parameters(of: data)
        let object = data.object(name) ?? [:]
        func field(_ member: String) -> Field { Field(member, of: object, in: "\(path)\(name).") }
        guard let kind = Argon2Hash.Kind(wire: "argon2" + (try field("type").parameter())) else {
            throw KeycloakHashError(field("type").name, .unknown)
        }
        let version: Argon2Hash.Version
        switch try field("version").parameter() {
        case "1.3": version = .v13
        case "1.0": version = .v10
        default: throw KeycloakHashError(field("version").name, .unknown)
        }
        let length = field("hashLength")
        if length.value != nil, try length.number() != UInt32(value.count) {
            throw KeycloakHashError(length.name, .doesNotFit)
        }
        return Argon2Hash(
            kind: kind,
            version: version,
            memoryKiB: try field("memory").number(),
            passes: passes,
            lanes: try field("parallelism").number(),
            salt: salt,
            value: value
        )
    }

    /// The name of the member with the algorithm's own parameters. Keycloak reads both.
    private static func parameters(of data: JSONObject) -> String {
        data["algorithmData"] == nil ? "additionalParameters" : "algorithmData"
    }
}

extension JSONObject {
    fileprivate var text: String { String(decoding: serialized(), as: UTF8.self) }
}
