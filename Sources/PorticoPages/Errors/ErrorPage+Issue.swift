extension ErrorPage {
    /// What went wrong, as far as it makes a difference to the person.
    package enum Issue: Sendable, Equatable {
        case requestNotUnderstood
        case unknownClient
        /// The redirect URI is not one of the client's, so that nothing is ever sent there.
        case unknownRedirect
        case accountBlocked
        case notAllowed
        case providerMisconfigured(name: String)
        case busy
        /// Nothing can be written at the moment.
        case cannotSave
        case serverError
        case tooLarge
        case tooManyTries(seconds: Int)
        /// People cannot create an account themselves.
        case registrationClosed
        case notFound
        case methodNotAllowed

        func told(_ words: Words) -> (heading: Phrase, sentence: Phrase, next: Phrase) {
            let told = words.error(self)
            let values: [String: Template.Value] =
                switch self {
                case .providerMisconfigured(let provider): ["provider": .name(provider)]
                case .tooManyTries(let seconds):
                    ["time": .words(words.time.wait(seconds: seconds))]
                default: [:]
                }
            return (told.heading(values), told.sentence, told.next(values))
        }

        /// - Parameter code: An `error` of RFC 6749 §4.1.2.1 that is told on a page, because there is no
        ///   client to tell. One that is not known here is our own mistake, and told as that.
        package init(oauthError code: String) {
            self =
                switch code {
                case "invalid_request", "invalid_scope", "unsupported_response_type",
                    "invalid_request_object", "invalid_request_uri", "request_not_supported",
                    "request_uri_not_supported", "registration_not_supported", "invalid_target",
                    "invalid_authorization_details", "invalid_dpop_proof":
                    .requestNotUnderstood
                case "invalid_client", "unauthorized_client": .unknownClient
                case "temporarily_unavailable": .busy
                default: .serverError
                }
        }
    }
}
