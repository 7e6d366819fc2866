"""Training: the 2017 model learns a small made-up language, from random numbers to a translator.

`python -m core.training translator --seed 0 --out FOLDER` runs it; nothing that serves the page comes here.
"""
