"""Makes the bundled fonts from the Noto fonts of Debian's packages fonts-noto-core and fonts-noto-mono.

    pip install fonttools
    python3 subset.py /usr/share/fonts/truetype/noto .

Same fonts and same fonttools, same bytes.
"""

import os
import sys

os.environ["SOURCE_DATE_EPOCH"] = "1735689600"

from fontTools import subset  # noqa: E402


def span(first, last):
    return range(first, last + 1)


TEXT = [
    *span(0x20, 0x7E), *span(0xA0, 0x24F),  # Latin and Latin Extended-A and -B
    *span(0x259, 0x259), *span(0x2B0, 0x2DD),  # modifier letters
    *span(0x300, 0x338),  # combining marks
    *span(0x370, 0x3FF), *span(0x1F00, 0x1FFF),  # Greek and Greek Extended
    *span(0x400, 0x52F),  # Cyrillic
    *span(0x1E00, 0x1EFF),  # Latin Extended Additional
    *span(0x2002, 0x200A), *span(0x2010, 0x2027), *span(0x202F, 0x205F),  # spaces, punctuation
    *span(0x2070, 0x209C), *span(0x20A0, 0x20BF),  # small digits, currencies
    *span(0x2100, 0x214F), *span(0x2150, 0x218B),  # letter-like, fractions
    0xFB01, 0xFB02, 0xFFFD,
]
DRAWN = [
    *span(0x2190, 0x21FF), *span(0x2200, 0x22FF),  # arrows, operators
    *span(0x2300, 0x23FF), *span(0x2500, 0x25FF),  # technical, boxes, blocks, shapes
]
SYMBOLS = [
    *span(0x25A0, 0x25FF), *span(0x2600, 0x266F), *span(0x26A0, 0x26A1),  # shapes, signs
    *span(0x2705, 0x2728), *span(0x274C, 0x2757), *span(0x2776, 0x2794),  # checks, crosses, numbers
]
MATH = [*span(0x2190, 0x21FF), *span(0x2200, 0x22FF)]

FONTS = [
    ("NotoSans-Regular", "sans.ttf", TEXT),
    ("NotoSans-Bold", "sans-bold.ttf", TEXT),
    ("NotoSansMono-Regular", "mono.ttf", TEXT + DRAWN),
    ("NotoSansSymbols2-Regular", "symbols.ttf", SYMBOLS),
    ("NotoSansMath-Regular", "math.ttf", MATH),
]


def main(source, target):
    total = 0
    for name, out, characters in FONTS:
        options = subset.Options()
        options.hinting = False
        options.layout_features = ["kern", "mark", "mkmk", "ccmp", "locl"]
        options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
        options.notdef_outline = True
        options.recalc_timestamp = False
        font = subset.load_font(os.path.join(source, name + ".ttf"), options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=characters)
        subsetter.subset(font)
        path = os.path.join(target, out)
        subset.save_font(font, path, options)
        size = os.path.getsize(path)
        total += size
        print(f"{out}: {size} bytes, {len(font.getBestCmap())} characters")
    print(f"together: {total} bytes")


main(*sys.argv[1:3])
