/// An error in a key ring or its file. `portico` prints ``explanation``.
package enum KeyRingError: Error, Hashable, Sendable {
    /// No file exists at the path.
    case missing
    /// Users other than its owner may read or write the file, or it belongs to another user.
    case exposed
    /// Not a regular file.
    case notAFile
    /// Not a key ring of this version.
    case malformed
    /// A file already exists at the path.
    case alreadyExists
    /// The ring does not hold the key, or it is the active one.
    case unknownKey
    /// The system refused.
    ///
    /// - Parameter errno: The system's error number.
    case system(errno: Int32)

    package var explanation: StaticString {
        switch self {
        case .missing: "There is no key ring at this path."
        case .exposed:
            "The key ring can be read by others. It must belong to the user that runs portico and have mode 0600."
        case .notAFile: "The key ring is not a regular file."
        case .malformed: "The file is not a portico key ring, version 1."
        case .alreadyExists: "There is a key ring at this path already."
        case .unknownKey: "The key ring does not hold this key, or it is the active one."
        case .system: "The system refused to read or write the key ring."
        }
    }
}
