// The privacy manifest of the library, for the privacy report of an app. It is a target of its own
// because a target with resources links all of Foundation (docs/decisions/0047).
