#if canImport(AuthenticationServices)
    import AuthenticationServices
    import PorticoSystem

    extension SheetEnding {
        static var isHTTPSKnown: Bool {
            if #available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *) {
                true
            } else {
                false
            }
        }

        @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
        var callback: ASWebAuthenticationSession.Callback {
            switch self {
            case .https(let host, let path): .https(host: host, path: path)
            case .scheme(let scheme): .customScheme(scheme)
            }
        }

        fileprivate var isHTTPS: Bool {
            if case .https = self { true } else { false }
        }

        /// For older systems, which are asked for nothing but schemes.
        var scheme: String {
            switch self {
            case .https: "https"
            case .scheme(let scheme): scheme
            }
        }
    }

    extension SignInError {
        /// The error for what the system's sheet reported, which was to close on `ending`.
        init(sheet error: (any Error)?, until ending: SheetEnding) {
            switch error {
            case let error as ASWebAuthenticationSessionError where error.code == .canceledLogin:
                // A person gives no reason. The system does when it refuses an https redirect; it
                // asks no association of a scheme.
                let isRefused = ending.isHTTPS && !error.errorUserInfo.isEmpty
                self.init(isRefused ? .misconfigured(.redirectNotAssociated) : .cancelled(.user))
            case is CancellationError:
                self.init(.cancelled(.program))
            default:
                self.init(.misconfigured(.sheetNotShown))
            }
        }
    }
#endif
