import PorticoProtocol

extension MailDraft.Message {
    /// The kind stands in a column of its own, the values in the document.
    init(kind: String, document: JSONObject) throws {
        let document = Document(document)
        func text(_ name: StaticString) throws -> String { try document.required(name, \.string) }
        func minutes() throws -> Int {
            try document.required("minutes") { $0.int64.flatMap(Int.init(exactly:)) }
        }
        switch kind {
        case "confirmation_code":
            self = .confirmationCode(
                sealedCode: try text("sealed_code"),
                use: try MailedCodeUse(document),
                minutes: try minutes()
            )
        case "email_changed": self = .emailChanged
        case "new_device":
            self = .newDevice(
                device: try text("device"),
                at: try document.required("at", \.int64),
                provider: try text("provider")
            )
        case "way_added": self = .wayAdded(provider: try text("provider"))
        case "way_removed": self = .wayRemoved(provider: try text("provider"))
        case "password_reset":
            self = .passwordReset(
                sealedAddress: try text("sealed_address"),
                minutes: try minutes()
            )
        case "account_actions":
            self = .accountActions(
                sealedAddress: try text("sealed_address"),
                until: try document.required("until", \.int64)
            )
        case "password_changed": self = .passwordChanged
        case "account_reclaimed": self = .accountReclaimed
        case "already_registered": self = .alreadyRegistered
        case "second_factor_added": self = .secondFactorAdded
        case "second_factor_removed": self = .secondFactorRemoved
        case "recovery_codes_made": self = .recoveryCodesMade
        case "account_deleted": self = .accountDeleted
        default: throw DocumentError(member: "kind")
        }
    }

    var kind: String {
        switch self {
        case .confirmationCode: "confirmation_code"
        case .emailChanged: "email_changed"
        case .newDevice: "new_device"
        case .wayAdded: "way_added"
        case .wayRemoved: "way_removed"
        case .passwordReset: "password_reset"
        case .accountActions: "account_actions"
        case .passwordChanged: "password_changed"
        case .accountReclaimed: "account_reclaimed"
        case .alreadyRegistered: "already_registered"
        case .secondFactorAdded: "second_factor_added"
        case .secondFactorRemoved: "second_factor_removed"
        case .recoveryCodesMade: "recovery_codes_made"
        case .accountDeleted: "account_deleted"
        }
    }

    var document: JSONObject {
        switch self {
        case .confirmationCode(let sealedCode, .confirmAddress, let minutes):
            [
                "sealed_code": .string(sealedCode), "use": "confirm_address",
                "minutes": .integer(Int64(minutes)),
            ]
        case .confirmationCode(let sealedCode, .confirmItsYou, let minutes):
            [
                "sealed_code": .string(sealedCode), "use": "confirm_its_you",
                "minutes": .integer(Int64(minutes)),
            ]
        case .confirmationCode(let sealedCode, .claimAccount(let provider), let minutes):
            [
                "sealed_code": .string(sealedCode), "use": "claim_account",
                "provider": .string(provider), "minutes": .integer(Int64(minutes)),
            ]
        case .newDevice(let device, let at, let provider):
            ["device": .string(device), "at": .integer(at), "provider": .string(provider)]
        case .wayAdded(let provider), .wayRemoved(let provider):
            ["provider": .string(provider)]
        case .passwordReset(let sealedAddress, let minutes):
            ["sealed_address": .string(sealedAddress), "minutes": .integer(Int64(minutes))]
        case .accountActions(let sealedAddress, let end):
            ["sealed_address": .string(sealedAddress), "until": .integer(end)]
        case .passwordChanged, .accountReclaimed, .emailChanged, .accountDeleted,
            .alreadyRegistered, .secondFactorAdded, .secondFactorRemoved, .recoveryCodesMade:
            [:]
        }
    }
}

extension MailedCodeUse {
    fileprivate init(_ document: Document) throws {
        switch try document.optional("use", \.string) {
        // A mail of before its use was kept says so, too: it is good for ten minutes.
        case "confirm_address", nil: self = .confirmAddress
        case "claim_account":
            self = .claimAccount(provider: try document.required("provider", \.string))
        case "confirm_its_you": self = .confirmItsYou
        default: throw DocumentError(member: "use")
        }
    }
}
