import Foundation
import Portico

/// Prints the address for a browser anywhere.
struct PrintingBrowser: ExternalBrowser {
    func open(_ address: String) {
        print("Open \(address)")
        fflush(nil)
    }
}
