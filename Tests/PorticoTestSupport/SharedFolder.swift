package import Foundation

/// The folder `shared` beside the checkout, which holds fixtures that are not part of the project.
/// Tests that read it are skipped where it is absent.
package enum SharedFolder {
    package static let url = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "shared")

    package static let exists = FileManager.default.fileExists(
        atPath: url.appending(path: "README.md").path
    )

    /// The bytes of a file below the folder.
    package static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: url.appending(path: path)))
    }
}
