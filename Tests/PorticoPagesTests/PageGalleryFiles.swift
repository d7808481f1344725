import Foundation
import PorticoGallery
import PorticoPages
import Testing

@Suite("Gallery of the pages") struct PageGalleryFiles {
    private static let folder = ProcessInfo.processInfo.environment["PORTICO_GALLERY_DIRECTORY"]

    @Test(
        "every page in every state is written to a folder, to be looked at",
        .enabled(if: folder != nil, "a folder for them comes from outside, to be looked at by hand")
    )
    func write() throws {
        let folder = URL(filePath: try #require(Self.folder), directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for state in RenderedState.all {
            let name = state.testDescription.replacing(", ", with: "-").replacing(" ", with: "_")
            try Data(state.html.utf8).write(to: folder.appending(path: "\(name).html"))
        }
    }
}
