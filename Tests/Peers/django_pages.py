"""The pages of the Django projects that the checks make, which have none of their own."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.template import engines
from django.urls import path

FORM = """<form method="post" action="{{ to }}">{% csrf_token %}<button>Go</button></form>"""


def home(request):
    """Who is signed in."""
    person = request.user
    if not person.is_authenticated:
        return JsonResponse({})
    names = ("username", "email", "first_name", "last_name")
    return JsonResponse({name: getattr(person, name) for name in names})


def button(request):
    """A form with Django's token, for what a product takes by POST only."""
    page = engines["django"].from_string(FORM)
    return HttpResponse(page.render({"to": request.GET["to"]}, request))


urls = [path("", home), path("private", login_required(home)), path("button", button)]
