"""Advance widths of Liberation Sans, for figure/text_test.go.

usage: /usr/bin/python3 liberation_widths.py        (writes liberation_widths.csv beside itself)

Needs Debian's fonts-liberation and python3-fonttools. Written from version 1.07.4 of the
font; those of version 2.1.4 are the same. A row is a character's code point and its
advance in units of 1/2048 of the size.
"""
import os
from fontTools.ttLib import TTFont

font = TTFont("/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf")
assert font["head"].unitsPerEm == 2048
glyphs, advances = font.getBestCmap(), font["hmtx"]
ascii = [chr(c) for c in range(ord(" "), ord("~") + 1)]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "liberation_widths.csv"), "w") as out:
    for c in ascii + list("²³¹×Δαβγζθλμπστφωⁿ−≤≥√"):
        print(f"{ord(c)},{advances[glyphs[ord(c)]][0]}", file=out)
