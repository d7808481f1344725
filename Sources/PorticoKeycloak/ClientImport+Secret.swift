import PorticoAdministration
import PorticoBytes
import PorticoProvider
import PorticoStores

/// The secrets of clients.
extension ClientImport {
    /// Whether a client that is here goes on with the secret that it has.
    func isKept(_ secret: ClientRegistration.Secret, of here: Client) -> Bool {
        switch secret {
        case .unchanged: return false
        case .made: return here.secret != nil
        case .chosen(let text): return registration.isSecret(text, of: here)
        }
    }

    /// Whether a client proves itself by its secret, in a way that is known here or not.
    static func isProvenBySecret(_ client: Representation) throws(RealmImportError) -> Bool {
        let type = try client.text("clientAuthenticatorType")
        return type == nil || type == "client-secret" || type == "client-secret-jwt"
    }

    /// A full export contains it in the clear; a partial one masks it.
    func secret(
        of client: Client,
        _ representation: Representation,
        _ here: Client?,
        report: inout ImportReport
    ) throws(RealmImportError) -> ClientRegistration.Secret {
        let secret = try representation.text("secret")
        guard client.authentication == .clientSecretBasic else { return .unchanged }
        // A secret beside keys or a certificate was never enough.
        guard try Self.isProvenBySecret(representation) else { return .made }
        guard let secret, !Self.isMask(secret) else {
            // The one that it has here goes on.
            if here?.secret != nil { return .made }
            report.add(
                .changed,
                "client \(client.clientID)",
                nil,
                "the file does not hold its secret: make a new one before it is used",
                isKept: true
            )
            // No one is shown this one.
            return .made
        }
        return .chosen(SecretText(secret))
    }
}
