#if canImport(UIKit)
    import PorticoSystem
    import UIKit

    extension ExpiringActivity {
        /// Works in app extensions too, where there is no background task to begin.
        static let system: Granting? = { body in
            ProcessInfo.processInfo.performExpiringActivity(
                withReason: "The session is being renewed",
                using: body
            )
        }
    }
#else
    extension ExpiringActivity {
        /// `nil`: no process is suspended here.
        static let system: Granting? = nil
    }
#endif
