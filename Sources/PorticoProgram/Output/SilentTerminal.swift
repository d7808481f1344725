import PorticoSystem

/// A line typed at the terminal without echo.
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
