import PorticoBytes
import PorticoSeals

extension Installation {
    /// The passwords of the cookie `sid`: from the file that a setting names, or else from the data
    /// folder (docs/decisions/0060).
    ///
    /// - Parameter isNeeded: Whether the data folder gets a file with a new one if it has none.
    /// - Returns: `nil` if there are none, and none are needed.
    func sealPasswords(isNeeded: Bool) throws(Failure) -> IronPasswords? {
        let path = settings.sidPasswordFile ?? directory.sealPasswords
        do throws(IronPasswords.FileRefusal) {
            guard settings.sidPasswordFile == nil, isNeeded else {
                return try IronPasswords.load(path)
            }
            return try IronPasswords.loadOrCreate(path, random: .system)
        } catch .file(.missing) where settings.sidPasswordFile == nil {
            return nil
        } catch {
            let form =
                "It has a line for each password, the newest last: an id, a space, the password."
            throw Failure(
                .wrongValue,
                "\(printable(path)): \(error.explanation)",
                error == .file(.exposed) ? FileOwner.remedy(path) ?? form : form
            )
        }
    }
}

extension IronPasswords.FileRefusal {
    fileprivate var explanation: String {
        switch self {
        case .file(.missing): "There is no such file."
        case .file(.exposed):
            "It can be read by others. It must belong to the user that runs portico and have mode 0600."
        case .file(.notAFile): "It is not a regular file."
        case .file: "It cannot be read, or is too long."
        case .line(let number): "Line \(number) is no id, space and password."
        case .passwords(let error): "\(error)"
        }
    }
}
