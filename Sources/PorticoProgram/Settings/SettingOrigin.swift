/// Where the value of a setting came from.
enum SettingOrigin: Hashable, Sendable {
    /// `--listen`
    case option(String)
    /// `PORTICO_LISTEN`
    case variable(String)
    case file(String, key: String)

    var description: String {
        switch self {
        case .option(let name), .variable(let name): name
        case .file(let path, let key): "\(key) in \(printable(path))"
        }
    }

    /// A path in a file is relative to that file, any other to the working directory. `~/` is the home
    /// folder: a shell replaces it only where it stands bare.
    ///
    /// - Parameter home: `nil`: `~` has no meaning.
    func resolve(_ path: String, home: String? = nil) -> String {
        if let home, path == "~" || path.hasPrefix("~/") { return home + path.dropFirst() }
        guard case .file(let file, _) = self, !path.hasPrefix("/"),
            let slash = file.lastIndex(of: "/")
        else { return path }
        return file[...slash] + path
    }
}
