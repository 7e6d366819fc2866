"""The frame of every page: its settings, the menu made of the PAGES table, and the page that was asked for."""

from pathlib import Path

import streamlit as st

from pages import PAGES, SERVER
from pages.plumbing import frame

st.set_page_config(page_icon=str(Path(__file__).parent / "assets" / "favicon.png"), layout="wide")
frame.open(PAGES, SERVER)
