import PorticoBytes
import PorticoSystem

/// What the system says of a code of its own.
func systemReason(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }

enum FileInput {
    /// - Parameters:
    ///   - path: `-` for stdin.
    ///   - limit: The longest that is read, in bytes.
    ///   - name: What an error calls it instead of its path, where that may be no path at all.
    static func bytes(_ path: String, limit: Int, called name: String? = nil) throws(Failure)
        -> [UInt8]
    {
        let name = name ?? printable(path)
        let descriptor = try opened(path, called: name)
        defer { if path != "-" { close(descriptor) } }
        do {
            return try FileBytes.read(descriptor, limit: limit)
        } catch {
            guard case .system(let reason) = error else {
                throw Failure(.wrongValue, "\(name) is longer than \(limit / 1024) KiB.")
            }
            throw unreadable(name, reason)
        }
    }

    /// To be closed, but for stdin.
    static func opened(_ path: String, called name: String) throws(Failure) -> Int32 {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(name, errno) }
        return descriptor
    }

    static func unreadable(_ name: String, _ reason: Int32) -> Failure {
        Failure(.notFound, "\(name) cannot be read: \(systemReason(reason)).")
    }
}

/// Reads a file that a command is given by name line by line, however long it is.
final class FileLines {
    enum Line: Equatable {
        case text([UInt8])
        /// Longer than the limit; none of it is kept.
        case tooLong
    }

    private let path: String
    private let limit: Int
    private let descriptor: Int32
    private var rest: ArraySlice<UInt8> = []

    /// - Parameters:
    ///   - path: `-` for stdin.
    ///   - limit: The longest line, in bytes.
    init(_ path: String, limit: Int) throws(Failure) {
        self.path = path
        self.limit = limit
        descriptor = try FileInput.opened(path, called: printable(path))
    }

    deinit {
        if path != "-" { close(descriptor) }
    }

    func next() throws(Failure) -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        var isThere = false
        while true {
            if rest.isEmpty {
                rest = try chunk()[...]
                guard !rest.isEmpty else { break }
            }
            isThere = true
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            let part = rest[..<(end ?? rest.endIndex)]
            isTooLong = isTooLong || line.count + part.count > limit
            if isTooLong { line = [] } else { line += part }
            rest = end.map { rest[$0...].dropFirst() } ?? []
            if end != nil { break }
        }
        guard isThere else { return nil }
        return isTooLong ? .tooLong : .text(line)
    }

    private func chunk() throws(Failure) -> [UInt8] {
        do {
            return try FileBytes.next(descriptor, upTo: 64 * 1024)
        } catch {
            guard case .system(let reason) = error else { return [] }
            throw FileInput.unreadable(printable(path), reason)
        }
    }
}

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

enum SilentTerminal {
    private static let interrupt: UInt8 = 3
    private static let endOfInput: UInt8 = 4
    private static let killLine: UInt8 = 21
    private static let longestLine = 4096

    /// - Returns: `nil` where the terminal cannot be read.
    static func line() throws -> [UInt8]? {
        var saved = termios()
        guard tcgetattr(STDIN_FILENO, &saved) == 0 else { return nil }
        var silent = saved
        // Signals are read as characters, so that Ctrl-C cannot leave a terminal without echo.
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG | ICANON)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else { return nil }
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved) }
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < longestLine {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != endOfInput else { break }
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return line
            case interrupt: throw Failure(.interrupted, "Stopped.")
            case killLine: line = []
            case 8, 127: eraseLastCharacter(&line)
            default: line.append(byte)
            }
        }
        return line
    }

    /// One character of UTF-8: its last byte and what continues before it.
    private static func eraseLastCharacter(_ line: inout [UInt8]) {
        while let byte = line.popLast(), byte & 0xC0 == 0x80 {}
    }
}
