package com.example.notes

import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import java.net.URLEncoder
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import org.json.JSONException
import org.json.JSONObject

/** The session that the backend gives to the app. Its tokens mean nothing to anyone else. */
data class NewSession(val sessionToken: String, val refreshToken: String, val expiresIn: Long, val user: String) {
    // No token in a log.
    override fun toString() = "NewSession"
}

/** The backend said no, with a code of its own (docs/openapi.yaml). */
class Refused(val error: String) : Exception(error)

/** The requests of the app to the BFF. Network errors are IOException: nothing is lost then. */
class Backend(val address: String, private val app: String) {
    /** Redeems a hand-off code. It is spent, whatever comes of it. */
    suspend fun redeem(code: String, attempt: SignInAttempt): NewSession = session(
        post(
            "/v1/auth/token",
            mapOf(
                "grant_type" to "authorization_code",
                "code" to code,
                "code_verifier" to attempt.verifier,
                "app" to app,
                "redirect_uri" to attempt.redirectUri,
            ),
        )
    )

    /** @param key the same for each repetition, so that a lost answer can be given again. */
    suspend fun refresh(token: String, key: String): NewSession =
        session(post("/v1/auth/refresh", mapOf("refresh_token" to token), mapOf("Idempotency-Key" to "\"$key\"")))

    /** Whether the backend has the session: who is signed in, or null. */
    suspend fun user(sessionToken: String): String? {
        val (status, body) = send("GET", "/v1/auth/session", mapOf("Authorization" to "Bearer $sessionToken"))
        if (status == 401) return null
        if (status != 200) throw IOException("status $status")
        return name(json(body).getJSONObject("user"))
    }

    suspend fun signOut(sessionToken: String) {
        send("POST", "/v1/auth/logout", mapOf("Authorization" to "Bearer $sessionToken"), ByteArray(0))
    }

    private suspend fun post(path: String, form: Map<String, String>, fields: Map<String, String> = emptyMap()): JSONObject {
        val body = form.entries.joinToString("&") { (name, value) -> "$name=${URLEncoder.encode(value, "UTF-8")}" }
        val type = mapOf("Content-Type" to "application/x-www-form-urlencoded")
        val (status, text) = send("POST", path, fields + type, body.toByteArray(Charsets.US_ASCII))
        // 5xx, 429 and what a hotel's network answers: the request may be tried again.
        if (status != 200 && (status !in 400..499 || status == 429)) throw IOException("status $status")
        val answer = json(text)
        if (status != 200) throw Refused(answer.optString("error", "unknown"))
        return answer
    }

    private suspend fun send(
        method: String,
        path: String,
        fields: Map<String, String>,
        body: ByteArray? = null,
    ): Pair<Int, String> = withContext(Dispatchers.IO) {
        val connection = URL(address + path).openConnection() as HttpURLConnection
        try {
            connection.requestMethod = method
            // A redirect would carry a code or a token elsewhere.
            connection.instanceFollowRedirects = false
            connection.connectTimeout = 10_000
            connection.readTimeout = 30_000
            connection.setRequestProperty("Accept", "application/json")
            for ((name, value) in fields) connection.setRequestProperty(name, value)
            if (body != null) {
                connection.doOutput = true
                connection.outputStream.use { it.write(body) }
            }
            val status = connection.responseCode
            val stream = if (status < 400) connection.inputStream else connection.errorStream
            status to (stream?.use { it.readNBytesCompat(64 * 1024) } ?: ByteArray(0)).toString(Charsets.UTF_8)
        } finally {
            connection.disconnect()
        }
    }

    private fun session(json: JSONObject): NewSession = try {
        NewSession(
            json.getString("session_token"),
            json.getString("refresh_token"),
            json.getLong("expires_in"),
            name(json.getJSONObject("user")),
        )
    } catch (error: JSONException) {
        throw IOException("not an answer of the backend", error)
    }

    private fun json(text: String): JSONObject = try {
        JSONObject(text)
    } catch (error: JSONException) {
        throw IOException("not an answer of the backend", error)
    }

    private fun name(user: JSONObject): String =
        listOf("name", "email", "id").firstNotNullOf { member ->
            user.optString(member).takeUnless { user.isNull(member) || it.isEmpty() }
        }
}

/** At most so many bytes; a longer answer is none of the backend's. */
private fun java.io.InputStream.readNBytesCompat(limit: Int): ByteArray {
    val bytes = ByteArray(limit + 1)
    var count = 0
    while (count < bytes.size) {
        val read = read(bytes, count, bytes.size - count)
        if (read < 0) return bytes.copyOf(count)
        count += read
    }
    throw IOException("the answer is too long")
}
