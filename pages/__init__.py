"""The table of pages: a new page is one folder and one row here. The first row is the page at `/`.

`SERVER` is not among them: it is in the menu where the operator has set a code for it.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Page:
    """One page of the menu.

    `section` is its folder and its address, `file` the script below the project's root, `title` a message key, `icon` a
    name from the icon font that the page brings along.
    """

    section: str
    file: str
    title: str
    icon: str


PAGES = (
    Page(section="heads", file="pages/heads/heads.py", title="heads.title", icon=":material/visibility:"),
    Page(section="inside", file="pages/inside/inside.py", title="inside.title", icon=":material/calculate:"),
    Page(
        section="positions",
        file="pages/positions/positions.py",
        title="positions.title",
        icon=":material/format_list_numbered:",
    ),
    Page(
        section="translate", file="pages/translate/translate.py", title="translate.title", icon=":material/translate:"
    ),
    Page(section="generate", file="pages/generate/generate.py", title="generate.title", icon=":material/edit_note:"),
    Page(section="mixers", file="pages/mixers/mixers.py", title="mixers.title", icon=":material/blender:"),
    Page(section="cost", file="pages/cost/cost.py", title="cost.title", icon=":material/query_stats:"),
    Page(section="models", file="pages/models/models.py", title="models.title", icon=":material/deployed_code:"),
)

SERVER = Page(section="server", file="pages/server/server.py", title="server.title", icon=":material/monitoring:")
