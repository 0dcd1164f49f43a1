"""Labelling configurations: what all stages have in common, in Label Studio's XML."""

from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement, fromstring, indent, tostring

from markdown_it import MarkdownIt

from blend.builders.annotation.ui_strings import PageTexts
from blend.schemas.language.locales import Locale

_FONTS = {
    "Arab": '"Noto Naskh Arabic", "Noto Sans Arabic", "Geeza Pro", Tahoma, ',
    "Ethi": '"Noto Sans Ethiopic", Kefa, Nyala, "Abyssinica SIL", ',
    "Beng": '"Noto Sans Bengali", "Nirmala UI", "Bangla MN", ',
    "Deva": '"Noto Sans Devanagari", "Nirmala UI", ',
    "Hans": '"Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", ',
    "Hant": '"Noto Sans CJK TC", "PingFang TC", "Microsoft JhengHei", ',
    "Jpan": '"Noto Sans CJK JP", "Hiragino Sans", "Yu Gothic", Meiryo, ',
    "Kore": '"Noto Sans CJK KR", "Apple SD Gothic Neo", "Malgun Gothic", ',
}
"""Fonts that draw a script well, where Latin fonts lack it or draw it badly, the free ones first."""

_TALL = frozenset({"Arab", "Beng", "Deva", "Ethi"})
"""Scripts whose marks above and below the letters need more room between lines."""


def page(locale: Locale, texts: PageTexts) -> Element:
    """The root of a configuration, with its style.

    Only a locale whose script runs from right to left gets a direction: Label Studio's own page runs from left
    to right, and its controls follow the style of what holds them. A page that speaks English to such a locale
    runs from left to right, but for the question and what people type.

    Args:
        locale: Of the stage.
        texts: Of the page, in the locale's language.
    """
    root = Element("View", {"className": "blend"})
    SubElement(root, "Style").text = _style(locale, in_english=texts.in_english)
    return root


def restyle(root: Element, rules: str) -> None:
    """Add rules to the style of a page."""
    style = root.find("Style")
    assert style is not None
    style.text = (style.text or "") + rules


ENGLISH = ".blend-question { direction: ltr; text-align: left; }\n"
"""Rule for pages whose question is English in every locale."""


def add(parent: Element, tag: str, attributes: Mapping[str, str | None] | None = None) -> Element:
    """A tag inside another; attributes that are null are left out."""
    given = {name: value for name, value in (attributes or {}).items() if value is not None}
    return SubElement(parent, tag, given)


def block(parent: Element, name: str, **attributes: str) -> Element:
    """A part of the page with a class of its own, ``blend-NAME``."""
    return add(parent, "View", {"className": f"blend-{name}", **attributes})


def while_chosen(control: str, option: str | None = None) -> dict[str, str]:
    """Attributes of what is only there while an option, or any, of a control is chosen."""
    any_option = {"visibleWhen": "choice-selected", "whenTagName": control}
    return any_option if option is None else {**any_option, "whenChoiceValue": option}


def unless_chosen(control: str) -> dict[str, str]:
    """Attributes of what is neither there, nor required, nor sent while an option of a control is chosen.

    Both a control and the block that holds it need them: the block is what disappears from the page, and what a
    control holds is left out for its own attributes only.
    """
    return {"visibleWhen": "choice-unselected", "whenTagName": control}


def question(parent: Element, *, local: str = "$question", english: str | None = "$en_question") -> None:
    """The question, large, and under it the English, small; controls refer to it as ``question``."""
    add(block(parent, "question"), "Text", {"name": "question", "value": local, "selectionEnabled": "false"})
    if english is not None:
        add(
            block(parent, "english"), "Text", {"name": "english", "value": english, "selectionEnabled": "false"}
        )


def start(parent: Element, text: str) -> None:
    """A line from which the next Tab leads into the field behind it.

    Nothing puts the focus into a field of Label Studio. It can be put before it, by HTML, when the page opens;
    after a task is sent, it is at the top of the next one, of which fields come first (see `xml`).
    """
    line = add(parent, "HyperText", {"name": "start", "inline": "true", "value": text})
    shown = add(line, "p", {"class": "blend-start", "tabindex": "-1", "autofocus": "autofocus"})
    shown.text = text


def note(parent: Element, text: str, name: str = "note", **attributes: str) -> None:
    """A sentence of the page's own about what it does, in a block of a class of its own."""
    header(block(parent, name, **attributes), text)


def header(parent: Element, text: str) -> None:
    """A line above a control."""
    add(parent, "Header", {"value": text, "size": "5"})


def choices(
    parent: Element, name: str, options: Mapping[str, str], *, to: str = "question", keys: str = "1234567890",
    **attributes: str,
) -> None:  # fmt: skip
    """One of several options, each with a key of the keyboard.

    Args:
        parent: Where it stands.
        name: Of the control.
        options: What the annotation holds to what people read, in order.
        to: Name of what the choice is about.
        keys: Keys of the options, in order.
        attributes: Further attributes of the control.
    """
    control = add(parent, "Choices", {"name": name, "toName": to, "choice": "single-radio", **attributes})
    for key, (alias, text) in zip(keys, options.items(), strict=False):
        add(control, "Choice", {"value": text, "alias": alias, "hotkey": key})


def text_field(
    parent: Element, name: str, *, to: str = "question", placeholder: str = "", most: int = 1, **attributes: str
) -> None:
    """A line to type into; Enter takes what was typed, and so does submitting the task.

    Where several texts are taken, a button does what Enter does: phones have no such key, and Ctrl+Enter works
    from a button, not from a field.
    """
    fixed = {"name": name, "toName": to, "rows": "1", "maxSubmissions": str(most), "editable": "true"}
    if most > 1:
        fixed["showSubmitButton"] = "true"
    add(parent, "TextArea", {**fixed, "placeholder": placeholder or None, **attributes})


def xml(root: Element, texts: PageTexts) -> str:
    """The configuration as text, with the instruction, folded, behind everything else.

    It is shown above the question. Behind everything, it is not in the way of those who go by Tab.
    """
    folded = add(root, "Collapse", {"accordion": "false", "bordered": "false", "open": "false"})
    add(folded, "Panel", {"value": texts.ui_strings["instruction"]}).append(_instruction(texts.instruction))
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def _instruction(markdown: str) -> Element:
    """The instruction as the open-source edition can show it: as HTML, which is part of the configuration.

    HTML in the Markdown is shown as it is written, and images are left out: nobody's page asks another server.
    """
    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": True}).disable("image")
    shown = fromstring(f"<HyperText>{parser.render(markdown)}</HyperText>")  # noqa: S314 - made by the parser
    shown.attrib |= {"name": "instruction", "inline": "true"}
    return shown


def _style(locale: Locale, *, in_english: bool) -> str:
    fonts = _FONTS.get(locale.script, "") + "system-ui, sans-serif"
    height = "2" if locale.script in _TALL else "1.5"
    rules = {
        ".blend": f"font-family: {fonts}; line-height: {height}; max-width: 64rem; padding: 0 1rem;",
        # The page sets sizes and fonts of its own on what is inside.
        ".blend *": "font-family: inherit;",
        ".blend-question .lsf-richtext__line": "font-size: 1.7rem; font-weight: 600;",
        ".blend-question *": f"line-height: {'1.8' if locale.script in _TALL else '1.3'};",
        ".blend-question": "margin: 1rem 0 0;",
        ".blend-english": "opacity: 0.75; margin: 0 0 1rem;",
        ".blend .blend-part h5, .blend .blend-part h4": "font-size: 1.1rem; line-height: inherit;",
        ".blend label": "font-size: 1.1rem;",
        ".blend ul, .blend ol": "padding-inline-start: 1.5rem; list-style: revert;",
        ".blend input, .blend textarea": f"font-family: {fonts}; font-size: 1.25rem;",
        ".blend-part": "margin: 1rem 0;",
    }
    if locale.direction == "rtl":
        local = ".blend-question, .blend-reply, .htx-ranker-item" if in_english else ".blend"
        rules[f"{local}, .blend input, .blend textarea"] = "direction: rtl; text-align: right;"
        rules[".blend-english, .blend-ltr, .blend-ltr input, .blend-ltr textarea"] = (
            "direction: ltr; text-align: left;"
        )
    return "\n" + "\n".join(f"{selector} {{ {body} }}" for selector, body in rules.items()) + "\n" + _COMMON


# Label Studio drops rules with ``>``. Its own parts are named as its editor, version 1.23, names them.
_COMMON = """\
.blend { display: grid; grid-template-columns: minmax(0, 1fr); }
.blend .ant-collapse { order: -1; }
.blend-start { opacity: 0.75; outline: none; margin: 0; }
.blend-note { border-inline-start: 0.25rem solid; padding-inline-start: 0.75rem; margin: 1rem 0; }
.blend-note h5, .blend-note h4, .blend-touch h5, .blend-touch h4 { font-size: 1.1rem; }
.blend-touch { display: none; }
.blend .lsf-text-area .ant-form-item-control-input-content { display: flex; flex-direction: row; gap: 0.5rem; }
.blend .lsf-text-area .ant-form-item { margin: 0; }
.blend .lsf-text-area .ant-form { margin-bottom: 0.5rem; }
.blend [data-testid="textarea-submit-section"] { width: auto; margin: 0; }
.blend [data-testid="textarea-counts"], .blend [data-testid="textarea-add-button"] span { display: none; }
.blend [data-testid="textarea-add-button"] { width: 2.75rem; height: 100%; min-height: 2.75rem; }
@media (max-width: 760px) {
.lsf-editor { width: 100%; min-width: 0; }
.lsf-sidepanels__wrapper, .lsf-menu-header__context, .lsf-bottombar__group:first-child { display: none; }
.lsf-bottombar__group { flex: 1; justify-content: center; }
.lsf-menu-header__hotkeys { display: none; }
.blend { padding: 0; }
.blend-start { display: none; }
.blend-question .lsf-richtext__line { font-size: 1.35rem; }
}
@media (pointer: coarse) {
.blend-touch { display: block; }
.blend label { min-height: 2.75rem; }
}
"""
"""What makes pages fit on a phone, of 390 pixels or more, and be worked by touch or by Tab alone."""
