"""Draw assets/favicon.png: one word raises its head and looks at the others."""

from pathlib import Path

from PIL import Image, ImageDraw

SIDE = 128
FINE = 8
GROUND, PAPER, FAINT = "#C8431B", "#FBFAF7", "#F0B49C"
HEAD = (64, 40)
WORDS = ((22, 98, 3), (50, 98, 10), (78, 98, 3), (106, 98, 6))


def draw() -> Image.Image:
    """Return the icon, drawn large and brought down so that its edges are smooth."""
    icon = Image.new("RGBA", (SIDE * FINE, SIDE * FINE))
    pen = ImageDraw.Draw(icon)
    pen.rounded_rectangle((0, 0, SIDE * FINE - 1, SIDE * FINE - 1), radius=28 * FINE, fill=GROUND)
    for x, y, breadth in WORDS:
        pen.line(
            (HEAD[0] * FINE, HEAD[1] * FINE, x * FINE, y * FINE),
            fill=PAPER if breadth > 3 else FAINT,
            width=breadth * FINE,
        )
    for x, y, breadth in WORDS:
        disc(pen, x, y, 11, PAPER if breadth > 3 else FAINT)
    disc(pen, *HEAD, 22, PAPER)
    return icon.resize((SIDE, SIDE), Image.Resampling.LANCZOS)


def disc(pen: ImageDraw.ImageDraw, x: int, y: int, radius: int, colour: str) -> None:
    """Draw a filled circle around a point of the icon."""
    pen.ellipse([(place + sign * radius) * FINE for sign in (-1, 1) for place in (x, y)], fill=colour)


if __name__ == "__main__":
    draw().save(Path(__file__).parent.parent / "assets" / "favicon.png", optimize=True)
