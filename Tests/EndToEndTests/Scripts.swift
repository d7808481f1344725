/// With scripts switched on or off in the browser: what a walk runs with.
///
/// Only the page that posts an answer onward has a script (a test of the pages holds that), so that
/// without it nothing changes for a walk that does not meet that page, or a stand-in's like it.
enum Scripts {
    static let on = [true]
    static let onAndOff = [true, false]
}
