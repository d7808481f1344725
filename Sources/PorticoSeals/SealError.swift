/// Why a seal was not opened.
///
/// Every cryptographic or format error is the one case ``doesNotOpen``, so that an attacker does
/// not learn how far a guess came. The other two apply only to seals that this ring made itself.
package enum SealError: Error, Hashable, Sendable {
    /// Too long, not the exact encoding of its bytes, another version, an unknown master key,
    /// another purpose or realm, or changed.
    case doesNotOpen
    /// Made by this ring, but too old.
    case expired
    /// Made by this ring, but more than 60 seconds in the future: a clock is wrong.
    case fromTheFuture
}
