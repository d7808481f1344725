package com.example.notes

import android.net.Uri
import android.util.Base64
import java.security.MessageDigest
import java.security.SecureRandom

/**
 * One sign-in, from the address that the Custom Tab opens to the code (RFC 8252 §8.9, RFC 7636).
 *
 * State and verifier are made for it, are in memory only, and are used once.
 */
class SignInAttempt(private val backend: String, private val app: String, val redirectUri: String) {
    private val state = random()
    val verifier = random()

    /** @param provider the backend's name for a provider; null opens its page with all of them. */
    fun address(provider: String? = null): Uri {
        val challenge = MessageDigest.getInstance("SHA-256").digest(verifier.toByteArray(Charsets.US_ASCII))
        val path = if (provider == null) "/login" else "/v1/auth/$provider"
        return Uri.parse(backend + path).buildUpon()
            .appendQueryParameter("platform", "mobile")
            .appendQueryParameter("app", app)
            .appendQueryParameter("redirect_uri", redirectUri)
            .appendQueryParameter("code_challenge", base64Url(challenge))
            .appendQueryParameter("code_challenge_method", "S256")
            .appendQueryParameter("state", state)
            .build()
    }

    sealed interface Answer {
        data class Code(val value: String) : Answer

        /** The backend's error code, such as access_denied. */
        data class Refused(val error: String) : Answer
    }

    /** What an address that the system handed to the app means; null if it is not the answer to this attempt. */
    fun answer(uri: Uri): Answer? {
        if (uri.buildUpon().clearQuery().fragment(null).build().toString() != redirectUri) return null
        val given = uri.getQueryParameters("state").singleOrNull() ?: return null
        // In the same time for every wrong one.
        if (!MessageDigest.isEqual(given.toByteArray(), state.toByteArray())) return null
        uri.getQueryParameter("error")?.let { return Answer.Refused(it) }
        return uri.getQueryParameters("code").singleOrNull()?.let { Answer.Code(it) }
    }

    private companion object {
        fun random() = base64Url(ByteArray(32).also { SecureRandom().nextBytes(it) })

        fun base64Url(bytes: ByteArray): String =
            Base64.encodeToString(bytes, Base64.URL_SAFE or Base64.NO_PADDING or Base64.NO_WRAP)
    }
}
