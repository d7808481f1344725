import Foundation
import Portico

// Run by scripts/consumer: the built program must start, and report that no one is signed in.
let path = NSTemporaryDirectory() + "shop-app-\(ProcessInfo.processInfo.processIdentifier)/session"
switch await client(keepingIn: path).restore() {
case .signedIn(let session): print("signed in: \(session.user.displayName)")
case .signedOut: print("signed out")
case .locked(let problem): print("locked: \(problem)")
}
let stopped = Reaction(.storage(.locked))
print(stopped == .tell("The stored session is locked.") ? "told why" : "not told why")
