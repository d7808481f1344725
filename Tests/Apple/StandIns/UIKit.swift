// swift-format-ignore-file
// That it can be imported is all that is used of it.
public enum UIKitStandIn {}
