/// Why a mapper of Keycloak's is not evaluated. Foreign texts are in the payloads only.
enum ProtocolMapperError: Error, Hashable, Sendable {
    /// A kind that is not known here: Keycloak's word for it.
    case unknownKind(String)
    /// A script: its word in the file.
    case script(String)
    /// A setting that the kind cannot do without: its key.
    case missing(String)
    /// `claim.value` is not of the type that `jsonType.label` names.
    case badValue
    /// `claim.name` cannot be read as a path, or is too deep or too long.
    case badPath
    /// Only the server itself writes the claim that is named.
    case reservedClaim(String)
    /// A setting of more than ``ProtocolMapper/longestSetting`` bytes, or a longer fixed claim.
    case tooLarge

    /// One English sentence for the operator.
    var words: StaticString {
        switch self {
        case .unknownKind: "This kind of mapper is not known here."
        case .script: "A script is not run here."
        case .missing: "A setting is missing that this kind of mapper needs."
        case .badValue: "Its value is not of its type."
        case .badPath: "Its claim has no name that can be written."
        case .reservedClaim: "Only the server itself writes this claim."
        case .tooLarge: "A setting is too long."
        }
    }
}
