import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Imports what people prove themselves with (Keycloak `CredentialRepresentation`).
struct CredentialImport {
    let registration: PersonRegistration
    let realm: Realm
    let seal: CredentialSeal
    let moment: Moment

    /// - Throws: what hashing a password throws.
    func add(
        _ user: Representation,
        to new: inout NewPerson,
        ids: inout ImportedIDs,
        report: inout ImportReport
    ) async throws {
        let subject = "user \(new.person.username)"
        for credential in try user.children("credentials") {
            switch try credential.text("type") ?? "password" {
            case "password":
                guard new.password == nil else { continue }
                new.password = try await password(
                    credential,
                    of: new.person,
                    subject,
                    report: &report
                )
                if new.password != nil, try credential.bool("temporary") == true,
                    !new.person.requiredActions.contains(RequiredAction.updatePassword)
                {
                    new.person.requiredActions.append(RequiredAction.updatePassword)
                }
            case let type:
                try addOther(credential, type, to: &new, &ids, report: &report)
            }
        }
    }

    /// A hash is kept as it is; a plain password is hashed.
    private func password(
        _ credential: Representation,
        of person: Person,
        _ subject: String,
        report: inout ImportReport
    ) async throws -> PasswordHash? {
        do {
            if let hash = try KeycloakHash.hash(of: credential.object) { return hash }
        } catch {
            report.add(.skipped, subject, "its password: \(error.description)")
            return nil
        }
        guard let value = try credential.text("value") else {
            report.add(.skipped, subject, "a password without a value")
            return nil
        }
        do {
            let (made, broken) = try await registration.hashInUse(
                SecretText(value),
                for: person,
                realmName: realm.name,
                random: moment.random
            )
            if let broken { report.add(.read, subject, "\(broken.description)") }
            return made
        } catch let refusal as PasswordPolicy.Refusal {
            report.add(.skipped, subject, "\(refusal.description)")
            return nil
        }
    }

    private func reportUse(
        of kind: Credential.Kind,
        _ type: String,
        _ parameters: JSONObject,
        _ secret: String,
        _ subject: String,
        report: inout ImportReport
    ) {
        let detail = "a second factor (\(type))"
        switch kind {
        case .totp where OneTimePassword(parameters, secret: SecretText(secret)) == nil:
            report.add(
                .weaker,
                subject,
                detail,
                "its codes cannot be checked here: who has it cannot sign in until it is taken away"
            )
        case .totp, .recoveryCodes:
            report.add(.read, subject, detail, "asked for at sign-in")
        case .other where sameBytes(type, "webauthn-passwordless"):
            report.add(.skipped, subject, detail, "kept, but no one signs in by passkeys here")
        case .other where sameBytes(type, "password-history"):
            report.add(
                .ignored,
                subject,
                type,
                "kept: a new password is not compared with old ones"
            )
        case .other:
            report.add(
                .weaker,
                subject,
                detail,
                "kept, but nothing here asks for it: the password alone signs in"
            )
        }
    }

    /// What nothing here asks for is kept, so that an export gives it back.
    private func addOther(
        _ credential: Representation,
        _ type: String,
        to new: inout NewPerson,
        _ ids: inout ImportedIDs,
        report: inout ImportReport
    ) throws {
        let subject = "user \(new.person.username)"
        let (type, found, data) = try Self.texts(of: credential, type)
        // `try?`: what cannot be read cannot be checked either.
        guard let secret = found, secret.utf8.count <= 16_384,
            let parameters = try? JSONValue(parsing: Array(data.utf8)).object
        else {
            Self.reportUnreadable(type, subject, report: &report)
            return
        }
        let kind: Credential.Kind =
            switch type {
            case "otp" where parameters.string("subType") ?? "totp" == "totp": .totp
            case "recovery-authn-codes": .recoveryCodes
            default: .other
            }
        let id = ids.take(try credential.text("id"), random: moment.random)
        var kept = parameters
        kept["type"] = .string(type)
        new.credentials.append(
            Credential(
                id: id,
                personID: new.person.id,
                kind: kind,
                label: PlainText.shown(try credential.text("userLabel") ?? ""),
                createdAt: max(0, try credential.integer("createdDate") ?? 0),
                priority: Int64(new.credentials.count),
                parameters: kept,
                sealedSecret: seal.seal(SecretText(secret), of: id, random: moment.random)
            )
        )
        reportUse(of: kind, type, parameters, secret, subject, report: &report)
    }

    /// The type of a credential, its `secretData` and its `credentialData`. A one-time password in the
    /// form from before Keycloak 8 gets that of today (`convertDeprecatedCredentialsFormat` there).
    private static func texts(of credential: Representation, _ type: String)
        throws(RealmImportError) -> (type: String, secret: String?, data: String)
    {
        let secret = try credential.text("secretData")
        guard secret == nil, ["otp", "totp", "hotp"].contains(type),
            let key = try credential.text("hashedSaltedValue")
        else { return (type, secret, try credential.text("credentialData") ?? "{}") }
        var data: JSONObject = ["subType": .string(type == "hotp" ? "hotp" : "totp")]
        for name in ["digits", "period", "counter"] {
            data[name] = try credential.integer(name).map(JSONValue.integer)
        }
        data["algorithm"] = try credential.text("algorithm").map(JSONValue.string)
        let value: JSONObject = ["value": .string(key)]
        return ("otp", text(value), text(data))
    }

    private static func text(_ object: JSONObject) -> String {
        String(decoding: object.serialized(), as: UTF8.self)
    }

    /// A credential of a type that is not known counts as a second factor.
    private static func reportUnreadable(
        _ type: String,
        _ subject: String,
        report: inout ImportReport
    ) {
        if ["password-history", "webauthn-passwordless"].contains(type) {
            report.add(.skipped, subject, "a credential that cannot be read")
        } else {
            report.add(
                .weaker,
                subject,
                "a second factor (\(type))",
                "it cannot be read and is left out: the password alone signs in"
            )
        }
    }
}
