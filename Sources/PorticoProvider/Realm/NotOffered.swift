/// An address that answers only where the realm's settings say so.
struct NotOffered: Error {}
