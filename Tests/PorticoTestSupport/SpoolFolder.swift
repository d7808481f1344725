import Foundation

/// A folder for long bodies, as a server's data directory is one.
package final class SpoolFolder: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "portico-uploads-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // `try?`: what is left is in a folder for temporary files.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// What has a name in it.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path) }
    }

    /// How many of its files this process has open, those without a name among them.
    package var openFiles: Int {
        get throws {
            let all = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return all.filter { number in
                // `try?`: it may be closed since.
                let file = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\(number)"
                )
                return file?.hasPrefix(path) == true
            }.count
        }
    }

    /// Waits until so many of its files are open.
    package func wait(forOpenFiles count: Int) async throws {
        for _ in 0..<1000 where try openFiles != count {
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
