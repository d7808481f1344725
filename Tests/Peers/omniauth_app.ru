# A Rails application with nothing but OmniAuth in it. What configures that is the initializer in
# the folder of PEER_ROOT, as `portico client create --for omniauth` printed it.

require "rails"
require "action_controller/railtie"
require "omniauth_openid_connect"
require "omniauth/rails_csrf_protection"

class PeerApplication < Rails::Application
  config.root = ENV.fetch("PEER_ROOT")
  config.secret_key_base = SecureRandom.hex(64)
  config.eager_load = false
  config.consider_all_requests_local = true
  config.logger = Logger.new($stdout)
end

# What came of a sign-in, by the session's own number: too much for a cookie.
SIGNED_IN = {}

class PeopleController < ActionController::Base
  protect_from_forgery with: :exception

  def index
    person = SIGNED_IN[session[:number]]
    return render json: person.merge(form: form_authenticity_token) if person
    render inline: '<%= form_with url: "/auth/openid_connect" do |form| %>' \
                   '<%= form.submit "Sign in", name: "sign-in" %><% end %>'
  end

  def create
    reset_session
    session[:number] = SecureRandom.hex(16)
    SIGNED_IN[session[:number]] = request.env["omniauth.auth"].to_hash
    redirect_to "/"
  end

  def failure
    render json: { failure: params[:message] }, status: :unauthorized
  end

  def leave
    SIGNED_IN.delete(session[:number])
    reset_session
    redirect_to "/auth/openid_connect/logout"
  end
end

Rails.application.initialize!
Rails.application.routes.draw do
  root to: "people#index"
  get "/auth/:provider/callback", to: "people#create"
  get "/auth/failure", to: "people#failure"
  post "/leave", to: "people#leave"
end

run Rails.application
