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
        for credential in try user.children("credentials") {
            let said = try CredentialRepresentation(credential)
            guard said.type == "password" else {
                addOther(said, to: &new, &ids, report: &report)
                continue
            }
            guard new.password == nil else { continue }
            new.password = try await password(
                credential,
                said.value,
                of: new.person,
                report: &report
            )
            if new.password != nil, said.isTemporary,
                !new.person.requiredActions.contains(RequiredAction.updatePassword)
            {
                new.person.requiredActions.append(RequiredAction.updatePassword)
            }
        }
    }

    /// A hash is kept as it is; a plain password is hashed.
    private func password(
        _ credential: Representation,
        _ value: String?,
        of person: Person,
        report: inout ImportReport
    ) async throws -> PasswordHash? {
        let subject = "user \(person.username)"
        do {
            if let hash = try KeycloakHash.hash(of: credential.object) { return hash }
        } catch {
            report.add(.skipped, subject, "its password: \(error.description)")
            return nil
        }
        guard let value else {
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
        _ said: CredentialRepresentation,
        to new: inout NewPerson,
        _ ids: inout ImportedIDs,
        report: inout ImportReport
    ) {
        let (subject, type) = ("user \(new.person.username)", said.type)
        // `try?`: what cannot be read cannot be checked either.
        guard let secret = said.secret, secret.utf8.count <= 16_384,
            let parameters = try? JSONValue(parsing: Array((said.data ?? "{}").utf8)).object
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
        let id = ids.take(said.id, random: moment.random)
        var kept = parameters
        kept["type"] = .string(type)
        new.credentials.append(
            Credential(
                id: id,
                personID: new.person.id,
                kind: kind,
                label: PlainText.shown(said.label),
                createdAt: said.createdAt,
                priority: Int64(new.credentials.count),
                parameters: kept,
                sealedSecret: seal.seal(SecretText(secret), of: id, random: moment.random)
            )
        )
        reportUse(of: kind, type, parameters, secret, subject, report: &report)
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
