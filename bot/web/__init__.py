"""The built-in chat: routers, templates and static files; server-rendered, usable without scripts."""
