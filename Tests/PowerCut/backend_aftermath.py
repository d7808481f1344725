"""After the restart: checks everything that the backend-for-frontend had acknowledged."""

import secrets

from aftermath import Questions
from backend_load import AppSession, Customer


class BackendAftermath(Questions):
    """About sessions of browsers and apps, and hand-off codes."""

    Asking = Customer

    def __init__(self, backend, limit, users):
        super().__init__(backend, limit)
        self.users = users

    def run(self, web, codes, apps):
        """Returns the sessions that are still good, for the next round."""
        self.new_apps = []
        # Codes live for a minute: those that may still be good come first.
        open_codes = [code for code in codes if code.state in ("unused", "unknown")]
        self.everyone(self.unspent_code, open_codes)
        self.everyone(self.refused_code, [code for code in codes if code.state == "refused"])
        self.everyone(self.browser, web)
        asked = self.asked(apps)
        self.everyone(self.app, asked)
        good = [app for app in asked if app.state == "alive"] + self.new_apps
        self.everyone(self.spent_code, good[::3])
        self.everyone(self.old_generation, good[1::3])
        alive = [app for app in good[2::3] if app.state == "alive"]
        return [browser for browser in web if browser.state == "alive"], alive

    # A code is good at most once, whenever it was presented.

    def unspent_code(self, person, code):
        if not code.fresh():
            return
        tokens = person.redeem_hand_off(code)
        if tokens:
            self.count("hand-offs redeemed after the restart")
            user = tokens["user"]["id"]
            self.users.check(code.person, user)
            self.new_apps.append(
                AppSession(code, [tokens["refresh_token"]], tokens["session_token"], user)
            )
        elif code.state == "unused":
            self.found("a hand-off code that was never presented is refused")
        else:
            self.count("hand-offs spent in the request that the kill cut off")

    def refused_code(self, person, code):
        if code.fresh() and person.redeem_hand_off(code):
            self.found("a hand-off code that was refused for a wrong verifier is good")
        self.count("hand-offs refused again")

    def spent_code(self, person, app):
        if app.hand_off.fresh() and person.redeem_hand_off(app.hand_off):
            self.found("a hand-off code that was redeemed before is good again")
        self.count("spent hand-offs refused")

    # An acknowledged session belongs to its person; a signed-out one works for no one.

    def browser(self, person, browser):
        user = person.user(browser)
        if user:
            self.users.check(browser.person, user)
        if browser.state == "unknown":
            browser.state = "alive" if user else "ended"
            self.count("browsers' sign-outs cut off")
        elif (user is None) != (browser.state == "ended"):
            self.found(f"a browser's session that was {browser.state} is {user and 'alive'}")
        else:
            self.count(f"browsers' sessions {browser.state} as acknowledged")

    def app(self, person, app):
        if app.state == "ended":
            if person.renew(app.tokens[-1], secrets.token_urlsafe(16)):
                self.found("an app's session that was signed out is renewed")
            if person.user(token=app.token):
                self.found("the token of an app's session that was signed out is good")
            self.count("ended apps' sessions refused")
            return
        if app.pending:
            # The response was lost: the client gets it, with the same key or within the grace period.
            key = app.pending_key
            self.count("apps' refreshes cut off and repeated")
        else:
            if app.state == "alive" and person.user(token=app.token) != app.user:
                self.found("the token of an app's live session is refused")
            key = secrets.token_urlsafe(16)
            self.count("apps' sessions renewed")
        tokens = person.renew(app.tokens[-1], key)
        if tokens is None:
            if app.state == "alive":
                self.found(f"an app's acknowledged refresh token is refused ({app.pending=})")
            app.state = "ended"
            return
        if tokens["user"]["id"] != app.user:
            self.found("a refresh gave another person's session")
        app.state, app.pending, app.key = "alive", False, key
        app.tokens.append(tokens["refresh_token"])
        app.token = tokens["session_token"]

    # An old generation is refused and ends the session; the last one repeats for its own key only.

    def old_generation(self, person, app):
        if len(app.tokens) < 2:
            return
        if app.key:
            again = person.renew(app.tokens[-2], app.key)
            if again is None or again["refresh_token"] != app.tokens[-1]:
                self.found("a repeated refresh of an app with its own key gave another token")
        old = app.tokens[-3] if len(app.tokens) > 2 else app.tokens[-2]
        if person.renew(old, secrets.token_urlsafe(16)):
            self.found("an old generation of an app's refresh token is good")
        if person.renew(app.tokens[-1], secrets.token_urlsafe(16)):
            self.found("an app's session survived the use of an old generation")
        app.state = "ended"
        self.count("apps' sessions ended by an old generation")
