import PorticoBytes

/// Where a command takes a secret from: a file, stdin, or a person who types it unseen. Never an
/// argument and never the environment, which other processes can read.
struct SecretInput {
    let console: Console

    /// - Parameters:
    ///   - path: A file, or `-` for stdin. One line feed at the end is not part of the secret.
    ///   - name: What is asked for, as in `Password`.
    ///   - option: The option that names the file, for the advice.
    ///   - isFile: Whether it is a file by its nature, of several lines.
    func secret(
        path: String?,
        name: String = "Secret",
        option: String = "--secret-file",
        isFile: Bool = false
    ) throws -> SecretText {
        // With `-` at a terminal the secret is asked for as usual: it must not be echoed.
        let isTyped = path == "-" && console.mayAsk && !isFile
        if let path, !isTyped { return try secret(file: path, option: option, isFile: isFile) }
        guard console.mayAsk else {
            throw Failure(
                .secretMissing,
                "There is no \(name.lowercased()), and no terminal to ask for it on.",
                "Give it in a file, or on stdin: \(option) -"
            )
        }
        let first = try ask(name)
        guard try ask("\(name) again") == first else {
            throw Failure(.refused, "The two entries differ.", "Nothing was changed. Try again.")
        }
        return first
    }

    private func secret(file path: String, option: String, isFile: Bool) throws -> SecretText {
        let bytes = try FileInput.bytes(path, limit: 64 * 1024)
        if path != "-", let owner = FileOwner(path), owner.isSharedFile {
            console.warn(
                "Others can read \(printable(path)), mode \(owner.modeText). \(owner.remedy("600"))"
            )
        }
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.wrongValue, "What \(option) names is not UTF-8 text.")
        }
        if text.last == "\r\n" || text.last == "\n" { text.removeLast() }
        guard !text.isEmpty else {
            throw Failure(.secretMissing, "What \(option) names is empty.")
        }
        guard isFile || !text.utf8.contains(UInt8(ascii: "\n")) else {
            throw Failure(
                .wrongValue,
                "What \(option) names has more than one line.",
                "Expected: the secret alone, on one line."
            )
        }
        return SecretText(text)
    }

    private func ask(_ name: String) throws -> SecretText {
        console.ask("\(name): ")
        defer { console.ask("\n") }
        guard let bytes = try SilentTerminal.line(), !bytes.isEmpty,
            let text = String(validating: bytes, as: UTF8.self)
        else {
            throw Failure(.secretMissing, "Nothing was entered.")
        }
        return SecretText(text)
    }
}
