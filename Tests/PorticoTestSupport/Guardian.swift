package import Foundation
import PorticoBytes

/// Ends the programs that tests have started when the tests end, however they end: killed, too.
///
/// A shell waits for the end of a pipe that only this process holds. What it then finds running is
/// told to stop, and the folder goes. A program that has ended by itself is left alone, even where
/// its number is another's by then.
package final class Guardian: Sendable {
    /// For ``RunningProgram/executable``, with a folder for the whole run.
    package static let shared = Guardian(of: RunningProgram.executable)

    /// For files that are worth nothing after the run.
    package let folder: URL
    private let pipe: Locked<FileHandle?>

    private static let script = """
        trap '' INT TERM HUP
        numbers=
        while IFS= read -r number; do numbers="$numbers $number"; done
        runs() {
            found=$(readlink "/proc/$1/exe")
            [ "$found" = "$program" ] || [ "$found" = "$program (deleted)" ]
        }
        program=$1
        left=
        for number in $numbers; do
            if runs "$number" && kill -TERM "$number"; then left="$left $number"; fi
        done
        if [ -n "$left" ]; then sleep 2; fi
        for number in $left; do
            if runs "$number"; then kill -KILL "$number"; fi
        done
        rm -rf -- "$2"
        """

    /// - Parameter program: The only one that is ever told to stop.
    package init(of program: URL) {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "portico-tests-\(ProcessInfo.processInfo.globallyUniqueString)")
        // `try?`: a later use fails if it is missing.
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let input = Pipe()
        let program = program.resolvingSymlinksInPath().path
        // `try?`: then a killed run leaves its programs behind, as it would without a guardian.
        let shell = try? ChildProgram(
            "/bin/sh",
            ["-c", Self.script, "guardian", program, folder.path],
            input: input.fileHandleForReading.fileDescriptor
        )
        pipe = Locked(shell == nil ? nil : input.fileHandleForWriting)
        // `try?`: open or not, nothing is read.
        try? input.fileHandleForReading.close()
    }

    package func watch(_ program: ChildProgram) {
        let line = Data("\(program.id)\n".utf8)
        // `try?`: without a guardian the tests run all the same.
        pipe.withLock { try? $0?.write(contentsOf: line) }
    }

    /// What the end of this process does.
    package func endNow() {
        pipe.withLock {
            // `try?`: closed before, it is closed.
            try? $0?.close()
            $0 = nil
        }
    }
}
