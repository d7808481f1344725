/// Why a seal was not opened.
///
/// Everything that cryptography or the text's form can have against a seal is the one case
/// ``doesNotOpen``, so that nobody learns how far a guess came. The other two are only ever said
/// of seals that this ring made itself.
package enum SealError: Error, Hashable, Sendable {
    /// Too long, not the one text of its bytes, another version, an unknown master key, another
    /// purpose or realm, or changed.
    case doesNotOpen
    /// Ours, and older than it may be.
    case expired
    /// Ours, and issued more than 60 seconds from now: a clock is wrong.
    case fromTheFuture
}
