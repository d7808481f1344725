import PorticoBytes
import PorticoProtocol
import PorticoProvider
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
        let data = try credential.text("credentialData") ?? "{}"
        // `try?`: what cannot be read cannot be checked either.
        guard let secret = try credential.text("secretData"), secret.utf8.count <= 16_384,
            let parameters = try? JSONValue(parsing: Array(data.utf8)).object
        else {
            report.add(.skipped, subject, "a credential that cannot be read")
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
}
