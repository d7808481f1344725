package com.example.notes

import android.content.Intent
import android.os.Bundle
import android.widget.Button
import android.widget.LinearLayout
import android.widget.TextView
import androidx.activity.ComponentActivity
import androidx.browser.customtabs.CustomTabsIntent
import androidx.lifecycle.lifecycleScope
import java.io.IOException
import kotlinx.coroutines.launch

class MainActivity : ComponentActivity() {
    private val backend = Backend("https://api.notes.example.com", app = "notes-android")
    private val keeper by lazy { SessionKeeper(backend, SessionStore(applicationContext)) }
    private lateinit var status: TextView

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        status = TextView(this)
        val signIn = Button(this).apply {
            setText(R.string.sign_in)
            setOnClickListener { startSignIn() }
        }
        val signOut = Button(this).apply {
            setText(R.string.sign_out)
            setOnClickListener {
                lifecycleScope.launch {
                    keeper.signOut()
                    show()
                }
            }
        }
        setContentView(
            LinearLayout(this).apply {
                orientation = LinearLayout.VERTICAL
                for (view in listOf(status, signIn, signOut)) addView(view)
            }
        )
        if (savedInstanceState == null) came(intent)
        lifecycleScope.launch { show() }
    }

    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        came(intent)
    }

    private fun startSignIn() {
        val new = SignInAttempt(backend.address, "notes-android", backend.address + "/auth/callback")
        attempt = new
        // The person's own browser: the app sees neither its pages nor its cookies.
        CustomTabsIntent.Builder().build().launchUrl(this, new.address())
    }

    /** An address from outside. Anything but the answer to the waiting attempt changes nothing. */
    private fun came(intent: Intent) {
        val uri = intent.takeIf { it.action == Intent.ACTION_VIEW }?.data ?: return
        val waiting = attempt ?: return
        val answer = waiting.answer(uri) ?: return
        attempt = null
        lifecycleScope.launch {
            try {
                when (answer) {
                    is SignInAttempt.Answer.Code -> keeper.signedIn(backend.redeem(answer.value, waiting))
                    is SignInAttempt.Answer.Refused -> if (answer.error != "access_denied") throw Refused(answer.error)
                }
                show()
            } catch (_: IOException) {
                status.setText(R.string.try_again)
            } catch (_: Refused) {
                status.setText(R.string.try_again)
            }
        }
    }

    private suspend fun show() {
        val user = keeper.user()
        status.text = if (user == null) getString(R.string.signed_out) else getString(R.string.signed_in_as, user)
    }

    private companion object {
        // In memory, beyond one activity: a process that has ended begins a new sign-in, because its verifier is gone.
        var attempt: SignInAttempt? = null
    }
}
