import PorticoBytes
import PorticoProtocol
import PorticoProvider

/// Names each field of a file that nothing here acts on, with the reason.
enum FieldReport {
    /// Fields for one reason. A name that ends with `*` stands for all that begin so.
    struct Reason {
        let outcome: ImportReport.Outcome
        let words: StaticString
        let fields: String
        /// ``ImportReport/Thing/isKept``
        let isKept: Bool

        init(
            _ outcome: ImportReport.Outcome,
            _ words: StaticString,
            _ fields: String,
            isKept: Bool = false
        ) {
            self.outcome = outcome
            self.words = words
            self.fields = fields
            self.isKept = isKept
        }
    }

    /// The reasons of one kind of representation, by the names of its fields.
    struct Table {
        private var exact: [String: Reason?] = [:]
        private var prefixes: [(prefix: String, reason: Reason)] = []
        private let unknown: StaticString

        /// - Parameters:
        ///   - carried: Fields that something here acts on, or that are derived from others.
        ///   - unknown: Why any other field is left.
        init(carried: String, _ reasons: [Reason], unknown: StaticString) {
            self.unknown = unknown
            for name in carried.split(separator: " ") { exact[String(name)] = .some(nil) }
            for reason in reasons {
                for name in reason.fields.split(separator: " ") {
                    if name.hasSuffix("*") {
                        prefixes.append((String(name.dropLast()), reason))
                    } else {
                        exact[String(name)] = .some(reason)
                    }
                }
            }
        }

        /// - Parameter subject: Whose fields they are; `nil`: the realm's.
        func add(_ object: JSONObject, _ subject: String?, report: inout ImportReport) {
            for (name, value) in object where value.says {
                let reason: Reason?
                if let known = exact[name] {
                    guard let known else { continue }
                    reason = known
                } else {
                    reason = prefixes.first { name.hasPrefix($0.prefix) }?.reason
                }
                report.add(
                    reason?.outcome ?? .ignored,
                    subject ?? name,
                    subject == nil ? nil : name,
                    "\(reason?.words ?? unknown)",
                    isKept: reason?.isKept ?? false
                )
            }
        }
    }
}

extension JSONValue {
    /// Whether a member has a meaning: `false`, 0 and empty values have none.
    fileprivate var says: Bool {
        switch self {
        case .null, .bool(false): false
        case .array(let values): !values.isEmpty
        case .object(let object): !object.isEmpty
        case .string(let text): !text.isEmpty && !sameBytes(text, "false")
        // What Keycloak writes for "not set".
        case .integer(let number): number > 0
        default: true
        }
    }
}

extension FieldReport {
    static let client = Table(
        carried: """
            id clientId name enabled publicClient bearerOnly clientAuthenticatorType secret \
            redirectUris webOrigins rootUrl standardFlowEnabled implicitFlowEnabled \
            directAccessGrantsEnabled serviceAccountsEnabled consentRequired protocol attributes \
            protocolMappers defaultClientScopes optionalClientScopes fullScopeAllowed access origin
            """,
        [
            Reason(
                .ignored,
                "kept: pages and addresses here do not show it",
                "description baseUrl alwaysDisplayInConsole"
            ),
            Reason(
                .skipped,
                "kept: sign-outs and revocations are not posted there; a back-channel logout URL is",
                "adminUrl",
                isKept: true
            ),
            Reason(
                .ignored,
                "kept: of old adapters, and nothing reads it",
                "surrogateAuthRequired nodeReRegistrationTimeout registeredNodes"
            ),
            Reason(
                .skipped,
                "kept: there are no authorization services (UMA) here",
                "authorizationServicesEnabled authorizationSettings"
            ),
            Reason(
                .ignored,
                "kept: sign-in has one flow here",
                "authenticationFlowBindingOverrides"
            ),
            Reason(
                .ignored,
                "kept: browsers are not sent to the client at a sign-out",
                "frontchannelLogout"
            ),
            Reason(
                .skipped,
                "kept: here tokens are void before a time of the realm's or a person's only",
                "notBefore"
            ),
            Reason(.skipped, "clients do not register themselves here", "registrationAccessToken"),
            Reason(.ignored, "kept: people who are made here get no roles", "defaultRoles"),
        ],
        unknown: "kept: nothing here knows the field"
    )

    static let person = Table(
        carried: """
            id username email emailVerified firstName lastName enabled notBefore attributes \
            createdTimestamp requiredActions serviceAccountClientId realmRoles clientRoles groups \
            federatedIdentities clientConsents credentials totp disableableCredentialTypes access \
            self userProfileMetadata
            """,
        [
            Reason(
                .skipped,
                "their account lies in another directory, which nothing here asks",
                "federationLink origin"
            ),
            Reason(.skipped, "organizations are not imported", "organizations"),
            Reason(
                .skipped,
                "a field of old versions that is not read",
                "socialLinks applicationRoles"
            ),
        ],
        unknown: "nothing here knows the field"
    )
}
